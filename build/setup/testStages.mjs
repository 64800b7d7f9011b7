// What `npm test` runs, in order. Node's own modules only: it runs on the machine's own Node.
import { join } from 'node:path';

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {object} Stage
 * @property {string} name
 * @property {number} limitMs time after which the stage is ended as failed
 * @property {(root: string, report: string) => string[]} args arguments for Node; `report` is the file for the counts
 * @property {boolean} [onDemand] runs only where it is named
 * @property {(report: string) => Record<string, string>} [env]
 * @property {(report: object) => Counts} [count] counts of the report; a stage without is no test run of its own
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
      '--test',
      // A test that hangs must not hold the run: none of ours takes a minute.
      `--test-timeout=${4 * MINUTE_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(root, 'build/setup/countReporter.mjs')}`,
      `--test-reporter-destination=${report}`,
      '{server,preload,electron,renderer-demo,build}/**/*.test.{ts,mjs}',
    ],
    count: ({ passed, failed, cancelled, skipped, todo }) => ({
      passed,
      failed: failed + cancelled,
      skipped: skipped + todo,
    }),
  },
  playwrightStage('e2e', 'e2e/playwright.config.ts'),
  // Named only: npm run test:long.
  {
    ...playwrightStage('long', 'e2e/long.config.ts'),
    limitMs: (20 + Number(process.env.SOAK_MINUTES ?? 10)) * MINUTE_MS,
    onDemand: true,
  },
];

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
    count: ({ stats }) => ({
      passed: stats.expected,
      failed: stats.unexpected + stats.flaky,
      skipped: stats.skipped,
    }),
  };
}
