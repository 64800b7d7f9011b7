// Loaded before each file of the tests (`node --import`): the file fails where something that it made still runs once its
// last test is over, with the names of what is left. Node's own modules only.
import { AsyncResource } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { STILL_RUNNING } from './testReport.mjs';

/**
 * How long what a test has closed may take to end, in milliseconds: a socket is gone some turns of the loop after `close`,
 * on a busy machine later.
 */
const GRACE_MS = 3_000;
/** How long a file that does not end by itself has for its last report, in milliseconds. */
const END_MS = 1_000;
/** Kinds of process.getActiveResourcesInfo() that are no work of the file: its own output, and steps that end by themselves. */
const NOT_OURS = /^(FSReq|TTYWrap|PipeWrap|Immediate|CloseReq|MessagePort)/;

/** esbuild keeps one helper for as long as its caller lives; it ends with it, by itself. */
const ENDS_WITH_US = /\/esbuild --service=/;

/**
 * werift repeats what it sends in a handshake for half a minute after the connection is closed, and nothing ends its pauses:
 * where it is used, timers say nothing. They are not waited for either.
 */
let usesWerift = false;

// Node's runner loads this as well; what it starts are the files.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  registerHooks({
    resolve(specifier, context, next) {
      usesWerift ||= specifier === 'werift';
      return next(specifier, context);
    },
  });
  // Hooks run in the order in which they were added. So the check is added when the first one runs, behind those of the
  // file; and from out here, else it would belong to that hook.
  const outside = new AsyncResource('nothingLeft');
  after(() => outside.runInAsyncScope(after, undefined, check));
}

async function check() {
  const end = performance.now() + GRACE_MS;
  let left = whatIsLeft();
  while (left.length > 0 && performance.now() < end) {
    await sleep(20);
    // Not to count the timer of this very loop.
    await new Promise(setImmediate);
    left = whatIsLeft();
  }
  // What is left may run for ever.
  setTimeout(() => process.exit(), END_MS).unref();
  if (left.length === 0) return;
  process.stderr.write(`${STILL_RUNNING}: ${left.join(', ')}\n`);
  // By its exit code the runner takes it for a fault of the file, which may be run once more.
  process.exitCode = 1;
}

/** What keeps the process alive, and its children, those included that do not. @returns {string[]} */
function whatIsLeft() {
  const resources = process
    .getActiveResourcesInfo()
    .filter((kind) => !(NOT_OURS.test(kind) || (usesWerift && kind === 'Timeout')));
  return [...resources, ...children()];
}

function children() {
  try {
    const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
    return pids === '' ? [] : pids.split(' ').flatMap(describeProcess);
  } catch {
    // Only Linux tells, and not every kernel.
    return [];
  }
}

function describeProcess(pid) {
  try {
    // A zombie has ended (proc_pid_stat(5)); its command line is empty.
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return command === '' || ENDS_WITH_US.test(command) ? [] : [`process ${pid} (${command.slice(0, 100)})`];
  } catch {
    return [];
  }
}
