// Loaded before each test file (`node --import`): fails a file that leaves something running after its last test, and
// names what is left; in a group each file by itself. Node's own modules only.
import { AsyncResource } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { STILL_RUNNING } from './testReport.mjs';

/**
 * Time for what a test has closed to end, in milliseconds: a socket ends some turns of the loop after `close`, on a busy
 * machine later.
 */
const GRACE_MS = 3_000;
/** Time for the last report of a file that does not end by itself, in milliseconds. */
const END_MS = 1_000;
/** Kinds of process.getActiveResourcesInfo() that do not count: the file's own output, and steps that end by themselves. */
const NOT_OURS = /^(FSReq|TTYWrap|PipeWrap|Immediate|CloseReq|MessagePort)/;

/** esbuild keeps one helper, which ends with its caller. */
const ENDS_WITH_US = /\/esbuild --service=/;

/**
 * werift repeats handshake packets for half a minute after the connection is closed, and nothing stops its timers. So
 * timers are ignored in files that use it.
 */
let usesWerift = false;

// Node's runner loads this as well; only the files that it starts have this variable.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  registerHooks({
    resolve(specifier, context, next) {
      usesWerift ||= specifier === 'werift';
      return next(specifier, context);
    },
  });
  // Hooks run in the order in which they were added, so the first one adds the check: it runs after those of the file.
  // The outer scope keeps the check from belonging to that first hook.
  const outside = new AsyncResource('nothingLeft');
  after(() => outside.runInAsyncScope(after, undefined, check));
  process.once('beforeExit', () => {
    runnerWaits = true;
  });
}

/**
 * Where a test waits for something that keeps no process alive, Node's runner keeps it alive by a timer until all files
 * of the group have ended.
 */
let runnerWaits = false;
/** What an earlier file of the group has left: that is its fault alone. @type {string[]} */
const reported = [];

/** For the end of each file of a group. @throws Error that says what the file left running */
export async function failIfSomethingIsLeft() {
  const left = await waitUntilNothingIsLeft(() => [...reported, ...(runnerWaits ? ['Timeout'] : [])]);
  if (left.length === 0) return;
  reported.push(...left);
  throw new Error(`${STILL_RUNNING}: ${left.join(', ')}`);
}

async function check() {
  const left = await waitUntilNothingIsLeft(() => reported);
  // What is left may run for ever.
  setTimeout(() => void end(), END_MS).unref();
  if (left.length === 0) return;
  process.stderr.write(`${STILL_RUNNING}: ${left.join(', ')}\n`);
  // The exit code makes it a fault of the file, so the file may run once more.
  process.exitCode = 1;
}

/** Ends the process once the runner has read all reports: on a busy machine it is late, and an exit would drop the rest. */
async function end() {
  for (let turns = 0; turns < 3; turns++) {
    // Reports that wait for room are written some turns after the room is there.
    await new Promise(setImmediate);
    if (process.stdout.writableLength === 0) continue;
    await sleep(20);
    turns = -1;
  }
  process.exit();
}

/** @param {() => string[]} known what is no fault here */
async function waitUntilNothingIsLeft(known) {
  const end = performance.now() + GRACE_MS;
  let left = whatIsNew(known());
  while (left.length > 0 && performance.now() < end) {
    await sleep(20);
    // Without this the timer of this loop would count.
    await new Promise(setImmediate);
    left = whatIsNew(known());
  }
  return left;
}

/** @param {string[]} known */
function whatIsNew(known) {
  const left = whatIsLeft();
  for (const kind of known) {
    const at = left.indexOf(kind);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

/** What keeps the process alive, and all its children. @returns {string[]} */
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
    // Only Linux has this file, and not every kernel.
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
