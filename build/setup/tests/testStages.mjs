// What `npm test` runs, in order, and the stages that run only where they are named. Node's own modules only: it runs on the machine's own Node.
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { groupTests } from './testGroups.mjs';
import { readNodeReport, readPlaywrightReport } from './testReport.mjs';

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {string} lane stages of one lane run one after the other, and lanes beside each other: what waits for a
 *   browser in one leaves its core to another
 * @property {number} limitMs time after which the stage is ended as failed
 * @property {number} [seconds] what it took on two cores, for the time that a run tells; about, and never a limit
 * @property {string[]} [patterns] the files that Node's runner runs
 * @property {(root: string) => number} [total] how many files it runs, where its own report does not tell
 * @property {(root: string, report: string) => string[]} args arguments for Node; `report` is the file for the counts
 * @property {(root: string, report: string, files: string[]) => string[]} [again] arguments for Node that run what
 *   failed in these files once more, one after the other, when all stages are over; a stage without it runs nothing again
 * @property {boolean} [onDemand] runs only where it is named
 * @property {(report: string) => Record<string, string>} [env]
 * @property {(report: object) => import('./testReport.mjs').Counts} [count] counts of the report; a stage without it is
 *   not a test run
 */

const MINUTE_MS = 60_000;
/** Far more than a stage takes: it ends what hangs. */
const LIMIT_MS = 30 * MINUTE_MS;
/** Where tests stand beside the code. */
const CODE_FOLDERS = ['client', 'server', 'electron', 'preload', 'renderer-demo', 'build'];
/** Files mostly wait for programs and browsers; those of the full run rather work, on packages and images. */
const FILES_AT_ONCE = Math.min(5, availableParallelism() + 2);
const FULL_FILES_AT_ONCE = Math.min(4, availableParallelism() + 1);

/** @type {Stage[]} */
export const stages = [
  { ...groupedStage('unit', FILES_AT_ONCE, CODE_FOLDERS, 'test'), lane: 'code', seconds: 420 },
  // Two screens at a time: each file waits most of its time for a person's keys and touches. Beside the tests of the code
  // both would take longer by as much as it saves.
  { ...nodeStage('bare', 2, ['e2e/bare'], 'test'), lane: 'code', seconds: 65 },
  {
    name: 'check',
    lane: 'screens',
    seconds: 65,
    limitMs: 5 * MINUTE_MS,
    args: (root) => [join(root, 'build/check/all.ts')],
  },
  {
    ...playwrightStage('e2e', 'e2e/playwright.config.ts'),
    lane: 'screens',
    seconds: 350,
    again: failedAgain('e2e/playwright.config.ts'),
  },
  // Named only: npm run test:full, for what needs programs that few have, or the making of packages.
  {
    ...nodeStage('full', FULL_FILES_AT_ONCE, CODE_FOLDERS, 'full'),
    lane: 'screens',
    seconds: 240,
    onDemand: true,
  },
  { ...nodeStage('full-bare', 1, ['e2e/bare'], 'full'), lane: 'screens', seconds: 250, onDemand: true },
  {
    ...playwrightStage('full-e2e', 'e2e/full.config.ts'),
    lane: 'screens',
    seconds: 400,
    onDemand: true,
    again: failedAgain('e2e/full.config.ts'),
  },
  // Named only: npm run test:long.
  {
    ...playwrightStage('long', 'e2e/long.config.ts'),
    limitMs: (60 + Number(process.env.SOAK_MINUTES ?? 10)) * MINUTE_MS,
    onDemand: true,
  },
  // Named only: npm run test:panel. An emulated panel takes its time.
  {
    ...playwrightStage('panel', 'e2e/panel.config.ts'),
    limitMs: 4 * 60 * MINUTE_MS,
    onDemand: true,
  },
  // Started by npm run test:electron only, one after the other: the windows of all have one screen.
  {
    name: 'electron-suite',
    lane: 'screens',
    limitMs: 9 * MINUTE_MS,
    onDemand: true,
    args: (root, report) => suiteArgs(root, report),
    again: suiteArgs,
    count: /** @param {any} counts */ (counts) => counts,
  },
  {
    ...playwrightStage('electron-e2e', 'e2e/electron.config.ts', { FACEPLATE_TEST_HOST: 'electron' }),
    onDemand: true,
    again: failedAgain('e2e/electron.config.ts'),
  },
  // What was tried on the screen alone, on what the stage before has bundled. The others of e2e/bare compare with plain
  // Chromium, which is another version than Electron's.
  {
    ...nodeStage('electron-screen', 1, [
      'e2e/{electron/*.electron,bare/{approval,frames,glass,keyboard,keys,page,pageState,questions,schemes}.test,bare/{choosers,glass,windows}.full}.ts',
    ]),
    onDemand: true,
    env: () => ({ FACEPLATE_TEST_HOST: 'electron' }),
  },
  { ...nodeStage('electron-packed', 1, ['build/**/*.electron.ts']), onDemand: true },
];

/** @param {string[]} [parts] of the suite, which stand for files */
function suiteArgs(root, report, parts = []) {
  return ['--disable-warning=ExperimentalWarning', join(root, 'electron/testing/main.ts'), report, ...parts];
}

/**
 * Files of Node's own test runner; each proves by itself that it leaves nothing running.
 * @param {number} filesAtOnce
 * @param {string[]} places folders with the files of a kind, or patterns where no kind is given
 * @param {string} [kind] `test` of `*.test.ts`
 * @returns {Stage}
 */
function nodeStage(name, filesAtOnce, places, kind) {
  const patterns = kind === undefined ? places : places.map((folder) => `${folder}/**/*.${kind}.{ts,mjs}`);
  return {
    name,
    lane: 'screens',
    limitMs: LIMIT_MS,
    patterns,
    args: (root, report) => nodeArgs(root, report, filesAtOnce, patterns),
    ...(kind !== undefined && { total: (root) => filesIn(root, places, kind).length }),
    again: (root, report, wanted) => nodeArgs(root, report, 1, wanted),
    count: readNodeReport,
  };
}

/**
 * The same, with small files in one process.
 * @param {string[]} folders
 * @returns {Stage}
 */
function groupedStage(name, filesAtOnce, folders, kind) {
  return {
    ...nodeStage(name, filesAtOnce, folders, kind),
    args: (root, report) =>
      nodeArgs(
        root,
        report,
        filesAtOnce,
        groupTests(root, filesIn(root, folders, kind), join(dirname(report), `${name}-groups`)),
      ),
  };
}

/** A pattern of Node's runner would need Node 22. @returns {string[]} relative to the root */
function filesIn(root, folders, kind) {
  const ends = [`.${kind}.ts`, `.${kind}.mjs`];
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, String(file))),
    )
    .filter((file) => ends.some((end) => file.endsWith(end)))
    .sort();
}

function nodeArgs(root, report, atOnce, wanted) {
  return [
    `--import=${join(root, 'build/setup/tests/nothingLeft.mjs')}`,
    ...unitArgs(root, report),
    `--test-concurrency=${atOnce}`,
    ...wanted,
  ];
}

function unitArgs(root, report) {
  return [
    '--test',
    // A hanging test must not block the run: none of ours takes a minute.
    `--test-timeout=${4 * MINUTE_MS}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(root, 'build/setup/tests/faultReporter.mjs')}`,
    `--test-reporter-destination=${report}`,
  ];
}

/** What failed, by Playwright's own list of it, with no other panel beside it. */
function failedAgain(config) {
  return (root) => [...playwrightArgs(root, config), '--last-failed', '--workers=1'];
}

/** @returns {Stage} */
function playwrightStage(name, config, env = {}) {
  return {
    name,
    lane: 'screens',
    limitMs: LIMIT_MS,
    args: (root) => playwrightArgs(root, config),
    env: (report) => ({ ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report }),
    count: readPlaywrightReport,
  };
}

function playwrightArgs(root, config) {
  return [
    join(root, 'node_modules/@playwright/test/cli.js'),
    'test',
    '--config',
    join(root, config),
    `--reporter=list,json,${join(root, 'build/setup/tests/progressReporter.mjs')}`,
  ];
}
