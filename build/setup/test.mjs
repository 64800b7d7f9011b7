// `npm test [stage ...]`: sets the machine up where that is still needed, then runs every stage under Node 24.
// The last line is for machines: "N passed, N failed, N skipped". The exit status is 1 after
// a failure, and 2 where tests were asked for and none ran.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  ensureDebianPackages,
  fullTestPackages,
  kioskPackages,
  longTestPackages,
  panelTestPackages,
  testPackages,
} from './machine/debianPackages.mjs';
import { ensureNpmPackages, findNode24 } from './machine/npmPackages.mjs';
import { environmentFor, runSetup, SetupError, say } from './machine/setupError.mjs';
import {
  leftFiles,
  leftProcesses,
  MAKERS_VARIABLE,
  makersOf,
  placeOfRun,
  RUN_VARIABLE,
} from './tests/leftovers.mjs';
import { expectedSeconds, lanesOf, minutes, PROGRESS_VARIABLE, RunProgress } from './tests/testProgress.mjs';
import { describeFault, slowestFiles } from './tests/testReport.mjs';
import { stages } from './tests/testStages.mjs';

/** How long processes of the run may take to end after its last stage, in milliseconds. */
const GRACE_MS = 3_000;
/**
 * How many files of a stage may have faults that disappear when run once more, because the machine was too busy. More of
 * them mean a defect of the code or of the tests. Files, because tests of one file share a browser or a service.
 */
const MOST_FLAKY = 3;
/** On a build machine what passes when run once more passes. By hand it is a defect that somebody should look at now. */
const FLAKE_PASSES = process.env.CI === 'true';
/** How many of the slowest files are named at the end. */
const SLOWEST = 3;
/** The entry of the temporary folder that no test makes. */
const REPORTS = 'reports';
/** The file in it that says who made which folder. */
const MAKERS = 'makers';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  const chosen = chooseStages(process.argv.slice(2));
  const long = chosen.some(({ name }) => name === 'long') ? longTestPackages : [];
  const panel = chosen.some(({ name }) => name === 'panel') ? panelTestPackages : [];
  const own = chosen.some(({ onDemand }) => onDemand) ? fullTestPackages : testPackages;
  const expected = expectedSeconds(chosen);
  if (expected > 0)
    say(`${chosen.map(({ name }) => name).join(', ')}: ${minutes(expected)} on two cores, after the set-up.`);
  ensureDebianPackages([...kioskPackages, ...own, ...long, ...panel], say);
  await ensureNpmPackages(root, say);
  const node = findNode24(root);
  execFileSync(node, [join(root, 'build/bundle/manage.ts')], { stdio: 'inherit' });
  // Packages and images take more than memory has.
  const isLarge = chosen.some(({ onDemand }) => onDemand);
  const run = createRun(node, isLarge ? tmpdir() : placeOfRun());
  const results = await runLanes(chosen, run);
  results.push(await checkLeftovers(run));
  for (const folder of [run.folder, run.tools]) rmSync(folder, { recursive: true, force: true });
  return report(
    results,
    run.interrupted,
    chosen.some(({ count }) => count !== undefined),
  );
});

function chooseStages(names) {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    throw new SetupError(
      `There is no stage ${unknown.join(', ')}. Stages: ${stages.map(({ name }) => name).join(', ')}.`,
    );
  }
  return stages.filter(({ name, onDemand }) => (names.length === 0 ? !onDemand : names.includes(name)));
}

/**
 * A run has its own temporary folder and mark, to tell its leftovers from other work on this machine.
 */
function createRun(node, place) {
  // Short: sockets below it have paths of at most 107 bytes.
  const folder = mkdtempSync(join(place, 'fp-test-'));
  // Not below /dev: umockdev follows files there, and has no place for so many.
  const tools = mkdtempSync(join(tmpdir(), 'faceplate-tools-'));
  // The browser of the tests runs as another user and has its profile below.
  for (const each of [folder, tools]) chmodSync(each, 0o755);
  mkdirSync(join(folder, REPORTS));
  const run = {
    node,
    folder,
    tools,
    mark: randomUUID(),
    sessions: new Set(),
    running: new Set(),
    interrupted: false,
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      run.interrupted = true;
      for (const pid of run.running) killGroup(pid, 'SIGTERM');
    });
  }
  return run;
}

/** Runs the lanes beside each other; what failed runs once more, alone, after all. @returns results in the stages' order */
async function runLanes(stages, run) {
  const lanes = lanesOf(stages);
  const progress = new RunProgress(stages, say);
  const results = new Map();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const stage of lane) {
        if (run.interrupted) return;
        results.set(stage, await runStage(stage, lanes.length > 1, run, progress));
      }
    }),
  );
  progress.stop();
  for (const [stage, result] of results) {
    if (!run.interrupted) results.set(stage, await runFailedAgain(stage, result, run));
  }
  return stages.flatMap((stage) => results.get(stage) ?? []);
}

async function runStage(stage, isBesideOthers, run, progress) {
  const started = Date.now();
  say(`\n--- ${stage.name} ---`);
  const mark = isBesideOthers ? `${stage.name.padEnd(5)}| ` : '';
  progress.begin(stage, { file: progressFile(run, stage.name), total: stage.total?.(root) ?? 0 });
  const counts = await runOnce(stage, run, stage.name, stage.args, mark);
  progress.end(stage);
  return { name: stage.name, ms: Date.now() - started, ...counts };
}

function progressFile(run, name) {
  return join(run.folder, REPORTS, `${name}.progress`);
}

async function runFailedAgain(stage, result, run) {
  const { faults } = result;
  if (!stage.again || faults.length === 0 || filesOf(faults).length > MOST_FLAKY) return result;
  const started = Date.now();
  const files = filesOf(faults);
  say(`\n--- ${stage.name}, once more: ${files.map(fromRoot).join(', ')} ---`);
  const second = await runOnce(stage, run, `${stage.name}-again`, (...args) => stage.again(...args, files));
  const ms = result.ms + Date.now() - started;
  if (second.failed > 0) return { ...result, ms };
  return { ...result, ms, passed: result.passed + result.failed, failed: 0, faults: [], flaky: faults };
}

/** @param {string} mark before each line that it prints, where several stages print */
async function runOnce(stage, run, name, args, mark = '') {
  const reportFile = join(run.folder, REPORTS, `${name}.json`);
  const child = spawn(run.node, args(root, reportFile), {
    cwd: root,
    // In its own session, which finds the stage's leftovers and ends the stage as a whole.
    detached: true,
    stdio: mark === '' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    env: {
      ...environmentFor(root),
      ...stage.env?.(reportFile),
      [PROGRESS_VARIABLE]: progressFile(run, name),
      TMPDIR: run.folder,
      PWTEST_CACHE_DIR: join(run.tools, 'playwright'),
      // Hundreds of processes load the same sources: all but the first find them compiled.
      NODE_COMPILE_CACHE: join(run.tools, 'node-compile-cache'),
      [RUN_VARIABLE]: run.mark,
      [MAKERS_VARIABLE]: join(run.folder, REPORTS, MAKERS),
    },
  });
  run.sessions.add(child.pid);
  run.running.add(child.pid);
  const printed = Promise.all([
    printLines(child.stdout, process.stdout, mark),
    printLines(child.stderr, process.stderr, mark),
  ]);
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    say(`The stage ${stage.name} took longer than ${stage.limitMs / 60_000} minutes and was stopped.`);
    killGroup(child.pid, 'SIGKILL');
  }, stage.limitMs);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  clearTimeout(limit);
  run.running.delete(child.pid);
  // Processes that outlive the stage may hold its output open.
  await Promise.race([printed, sleep(GRACE_MS, undefined, { ref: false })]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  const counts = readCounts(stage, reportFile);
  // A stage that failed without a failed test (a crash, a check) counts as one failure.
  const failed = counts.failed === 0 && (code !== 0 || late) ? 1 : counts.failed;
  return { ...counts, failed };
}

/** @param {import('node:stream').Readable | null} from @param {NodeJS.WriteStream} to */
async function printLines(from, to, mark) {
  if (from === null) return;
  for await (const line of createInterface(from)) to.write(`${mark}${line}\n`);
}

function readCounts(stage, reportFile) {
  const none = { passed: 0, failed: 0, skipped: 0, faults: [] };
  if (stage.count === undefined) return none;
  try {
    return stage.count(JSON.parse(readFileSync(reportFile, 'utf8')));
  } catch (error) {
    say(`The stage ${stage.name} left no report: ${error.message}`);
    return { ...none, failed: 1 };
  }
}

async function checkLeftovers(run) {
  const started = Date.now();
  let processes = leftProcesses(run);
  while (processes.length > 0 && Date.now() - started < GRACE_MS) {
    await sleep(100);
    processes = leftProcesses(run);
  }
  const files = leftFiles(run.folder, new Set([REPORTS]));
  for (const { pid, command } of processes) {
    say(`Left behind: process ${pid}: ${command.slice(0, 200)}`);
    killProcess(pid);
  }
  const makers = makersOf(join(run.folder, REPORTS, MAKERS));
  for (const file of files) say(`Left behind: ${file}${makers(file)}`);
  const failed = processes.length + files.length > 0 ? 1 : 0;
  return { name: 'leftovers', ms: Date.now() - started, passed: 0, failed, skipped: 0, faults: [] };
}

/** @param {boolean} isTestRun whether tests were asked for */
function report(results, interrupted, isTestRun) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  say('');
  for (const { name, ms, passed, failed, skipped } of results) {
    const counts = passed + skipped > 0 ? ` ${passed} passed, ${failed} failed, ${skipped} skipped` : '';
    say(
      `${failed > 0 ? 'FAILED' : 'ok    '} ${name.padEnd(15)} ${(ms / 1000).toFixed(1).padStart(6)} s${counts}`,
    );
  }
  const slowest = slowestFiles(results, SLOWEST);
  if (slowest.length > 0)
    say(
      `Slowest: ${slowest.map(({ file, ms }) => `${fromRoot(file)} ${Math.round(ms / 1000)} s`).join(', ')}`,
    );
  // At the very end, where readers look and where the log of a build machine is not cut.
  for (const { faults } of results) for (const fault of faults) say(`FAILED: ${tell(fault)}`);
  const flaky = results.flatMap((result) => result.flaky ?? []);
  for (const fault of flaky) say(`FLAKY: ${tell(fault)}`);
  if (flaky.length > 0) {
    say(
      `FLAKY: ${flaky.length} failed at first and passed when run once more. ${
        FLAKE_PASSES
          ? `At most ${MOST_FLAKY} files of a stage may do so.`
          : 'Each counts as failed; with CI=true it passes.'
      }`,
    );
  }
  if (interrupted) {
    say('Interrupted.');
    return 130;
  }
  const skipped = sum('skipped');
  const tooFlaky = results
    .map((result) => result.flaky ?? [])
    .filter((faults) => !FLAKE_PASSES || filesOf(faults).length > MOST_FLAKY)
    .reduce((total, faults) => total + faults.length, 0);
  const failed = sum('failed') + tooFlaky;
  const passed = sum('passed') - tooFlaky;
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  if (failed > 0) return 1;
  return isTestRun && passed === 0 ? 2 : 0;
}

function filesOf(faults) {
  return [...new Set(faults.map(({ file }) => file))];
}

function tell(fault) {
  return describeFault({ ...fault, file: fromRoot(fault.file) });
}

/** Paths in a report may already be relative to the root. */
function fromRoot(file) {
  return isAbsolute(file) ? relative(root, file) : file;
}

function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The stage has ended in between.
  }
}

function killProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in between.
  }
}
