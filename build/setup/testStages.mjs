// What `npm test` runs, in order. Node's own modules only: it runs on the machine's own Node.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readNodeReport, readPlaywrightReport } from './testReport.mjs';

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {number} step stages of one step run at the same time
 * @property {number} limitMs time after which the stage is ended as failed
 * @property {(root: string, report: string) => string[]} args arguments for Node; `report` is the file for the counts
 * @property {(root: string, report: string, files: string[]) => string[]} [again] arguments for Node that run what
 *   failed in these files once more, one after the other, when the step is over; a stage without it runs nothing again
 * @property {boolean} [onDemand] runs only where it is named
 * @property {(report: string) => Record<string, string>} [env]
 * @property {(report: object) => import('./testReport.mjs').Counts} [count] counts of the report; a stage without it is
 *   not a test run
 */

const MINUTE_MS = 60_000;
/** Far more than a stage takes: it ends what hangs. */
const LIMIT_MS = 30 * MINUTE_MS;
/** Files mostly wait for programs and browsers. */
const FILES_AT_ONCE = Math.min(4, availableParallelism() + 1);

/** @type {Stage[]} */
export const stages = [
  {
    name: 'check',
    step: 1,
    limitMs: 5 * MINUTE_MS,
    args: (root) => [join(root, 'build/check/all.ts')],
  },
  nodeStage('unit', FILES_AT_ONCE, '{client,server,electron,preload,renderer-demo,build}/**/*.test.{ts,mjs}'),
  // By itself, one screen after the other: the pages have a person's keys and touches, which wait for nobody.
  { ...nodeStage('bare', 1, 'e2e/bare/**/*.test.ts'), step: 3 },
  // By itself: its browsers keep all cores busy.
  {
    ...playwrightStage('e2e', 'e2e/playwright.config.ts'),
    step: 4,
    // What failed, by Playwright's own list of it, with no other panel beside it.
    again: (root) => [...playwrightArgs(root, 'e2e/playwright.config.ts'), '--last-failed', '--workers=1'],
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
    step: 5,
    limitMs: 9 * MINUTE_MS,
    onDemand: true,
    args: (root, report) => suiteArgs(root, report),
    again: suiteArgs,
    count: /** @param {any} counts */ (counts) => counts,
  },
  {
    ...playwrightStage('electron-e2e', 'e2e/electron.config.ts', { FACEPLATE_TEST_HOST: 'electron' }),
    step: 6,
    onDemand: true,
    again: (root) => [...playwrightArgs(root, 'e2e/electron.config.ts'), '--last-failed', '--workers=1'],
  },
  // What was tried on the screen alone, on what the stage before has bundled. The others of e2e/bare compare with plain
  // Chromium, which is another version than Electron's.
  {
    ...nodeStage(
      'electron-screen',
      1,
      'e2e/{electron/*.electron,bare/{approval,choosers,frames,glass,keyboard,keys,page,pageState,questions,schemes,windows}.test}.ts',
    ),
    step: 7,
    onDemand: true,
    env: () => ({ FACEPLATE_TEST_HOST: 'electron' }),
  },
  { ...nodeStage('electron-packed', 1, 'build/**/*.electron.ts'), step: 8, onDemand: true },
];

/** @param {string[]} [parts] of the suite, which stand for files */
function suiteArgs(root, report, parts = []) {
  return ['--disable-warning=ExperimentalWarning', join(root, 'electron/testing/main.ts'), report, ...parts];
}

/**
 * Files of Node's own test runner; each proves by itself that it leaves nothing running.
 * @param {number} filesAtOnce
 * @returns {Stage}
 */
function nodeStage(name, filesAtOnce, files) {
  const args = (root, report, atOnce, wanted) => [
    `--import=${join(root, 'build/setup/nothingLeft.mjs')}`,
    ...unitArgs(root, report),
    `--test-concurrency=${atOnce}`,
    ...wanted,
  ];
  return {
    name,
    step: 2,
    limitMs: LIMIT_MS,
    args: (root, report) => args(root, report, filesAtOnce, [files]),
    again: (root, report, wanted) => args(root, report, 1, wanted),
    count: readNodeReport,
  };
}

function unitArgs(root, report) {
  return [
    '--test',
    // A hanging test must not block the run: none of ours takes a minute.
    `--test-timeout=${4 * MINUTE_MS}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(root, 'build/setup/faultReporter.mjs')}`,
    `--test-reporter-destination=${report}`,
  ];
}

/** @returns {Stage} */
function playwrightStage(name, config, env = {}) {
  return {
    name,
    step: 2,
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
    '--reporter=list,json',
  ];
}
