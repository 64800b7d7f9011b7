// What `npm test` runs, in order. Node's own modules only: it runs on the machine's own Node.
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
      ...unitArgs(root, report),
      // Files mostly wait for browsers and peers: two at a time keep two cores busy.
      '--test-concurrency=2',
      '{server,preload,electron,renderer-demo,build}/**/*.test.{ts,mjs}',
    ],
    again: (root, report, files) => [...unitArgs(root, report), '--test-concurrency=1', ...files],
    count: readNodeReport,
  },
  playwrightStage('e2e', 'e2e/playwright.config.ts'),
  // Named only: npm run test:long.
  {
    ...playwrightStage('long', 'e2e/long.config.ts'),
    limitMs: (60 + Number(process.env.SOAK_MINUTES ?? 10)) * MINUTE_MS,
    onDemand: true,
  },
];

function unitArgs(root, report) {
  return [
    '--test',
    // A test that hangs must not hold the run: none of ours takes a minute.
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
