// What `npm test` runs, in order. Node's own modules only: it runs on the machine's own Node.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readNodeReport, readPlaywrightReport } from './testReport.mjs';

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {number} limitMs time after which the stage is ended as failed
 * @property {(root: string, report: string) => string[]} args arguments for Node; `report` is the file for the counts
 * @property {(root: string, report: string, files: string[]) => string[]} [again] arguments for Node that run these
 *   files once more, one after the other; a stage without does that by itself or not at all
 * @property {boolean} [onDemand] runs only where it is named
 * @property {(report: string) => Record<string, string>} [env]
 * @property {(report: object) => import('./testReport.mjs').Counts} [count] counts of the report; a stage without is no
 *   test run of its own
 */

const MINUTE_MS = 60_000;
const CORES = availableParallelism();
/** These files mostly wait for peers and programs: one more than there are cores keeps them busy. */
const FILES_AT_ONCE = Math.min(4, CORES + 1);
/** A browser uses more than half a core while it starts and draws; its tests have limits of time that a panel has too. */
const BROWSERS_AT_ONCE = 2;
/** What drives a browser in nearly every file. */
const BROWSER_FOLDERS = '{electron,server/{kiosk,starter}}';

/** @type {Stage[]} */
export const stages = [
  {
    name: 'check',
    limitMs: 5 * MINUTE_MS,
    args: (root) => [join(root, 'build/check/all.ts')],
  },
  {
    name: 'unit',
    limitMs: 20 * MINUTE_MS,
    args: (root, report) => [
      nothingLeft(root),
      ...unitArgs(root, report),
      `--test-concurrency=${FILES_AT_ONCE}`,
      'server/*.test.ts',
      '{server/!(kiosk|starter),preload,renderer-demo,build}/**/*.test.{ts,mjs}',
    ],
    again: (root, report, files) => [nothingLeft(root), ...oneByOne(root, report), ...files],
    count: readNodeReport,
  },
  {
    name: 'browsers',
    limitMs: 20 * MINUTE_MS,
    args: (root, report) => [
      nothingLeft(root),
      ...unitArgs(root, report),
      `--test-concurrency=${BROWSERS_AT_ONCE}`,
      `${BROWSER_FOLDERS}/**/*.test.ts`,
    ],
    again: (root, report, files) => [nothingLeft(root), ...oneByOne(root, report), ...files],
    count: readNodeReport,
  },
  playwrightStage('e2e', 'e2e/playwright.config.ts'),
  {
    name: 'bare',
    limitMs: 15 * MINUTE_MS,
    args: (root, report) => [...oneByOne(root, report), 'e2e/bare/**/*.test.ts'],
    again: (root, report, files) => [...oneByOne(root, report), ...files],
    count: readNodeReport,
  },
  // Named only: npm run test:long.
  {
    ...playwrightStage('long', 'e2e/long.config.ts'),
    limitMs: (60 + Number(process.env.SOAK_MINUTES ?? 10)) * MINUTE_MS,
    onDemand: true,
  },
];

/** Each file proves by itself that it leaves nothing running. */
const nothingLeft = (root) => `--import=${join(root, 'build/setup/nothingLeft.mjs')}`;

const oneByOne = (root, report) => [...unitArgs(root, report), '--test-concurrency=1'];

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
function playwrightStage(name, config) {
  return {
    name,
    limitMs: 20 * MINUTE_MS,
    args: (root) => [
      join(root, 'node_modules/@playwright/test/cli.js'),
      'test',
      '--config',
      join(root, config),
      '--reporter=list,json',
    ],
    env: (report) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: report }),
    count: readPlaywrightReport,
  };
}
