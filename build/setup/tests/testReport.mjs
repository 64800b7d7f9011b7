// Reads what the test runners report. Node's own modules only: it runs on the machine's own Node.
import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** What nothingLeft.mjs prints for a file, before the names of what is left. */
export const STILL_RUNNING = 'Still running after the last test';

/**
 * @typedef {object} Fault a failure that no other failure caused
 * @property {string} file
 * @property {string} name of the test, or of the suite whose set-up failed
 * @property {string} message
 * @property {{ file: string, line: number }} [at] where it failed, where the report says so
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {Fault[]} faults
 * @property {{ file: string, ms: number }[]} [files] how long each took
 * @property {Fault[]} [flaky] what failed at first and passed when it was run once more
 */

/** @returns {Counts} of the report of faultReporter.mjs */
export function readNodeReport({ passed, failed, cancelled, skipped, todo, faults, files }) {
  // A fault after the last test of a suite is no failed test.
  return {
    passed,
    failed: Math.max(failed + cancelled, faults.length),
    skipped: skipped + todo,
    faults,
    files,
  };
}

/** @returns {Counts} of Playwright's JSON report */
export function readPlaywrightReport({ stats, suites = [], errors = [] }) {
  const tests = suites.flatMap(testsOf);
  const faultsOf = (wanted) =>
    tests
      .filter(({ status }) => status === wanted)
      .map(({ file, name, results }) => ({
        file,
        name,
        message: results.find(({ error }) => error !== undefined)?.error.message ?? '',
        at: results.find(({ error }) => error !== undefined)?.error.location,
      }));
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    skipped: stats.skipped,
    faults: [
      ...faultsOf('unexpected'),
      ...errors.map(({ message }) => ({ file: 'e2e', name: 'outside of a test', message })),
    ],
    flaky: faultsOf('flaky'),
    files: timeOfFiles(tests),
  };
}

function timeOfFiles(tests) {
  const times = new Map();
  for (const { file, results } of tests) {
    const ms = results.reduce((sum, { duration = 0 }) => sum + duration, 0);
    times.set(file, (times.get(file) ?? 0) + ms);
  }
  return [...times].map(([file, ms]) => ({ file, ms }));
}

function testsOf({ file, suites = [], specs = [] }) {
  return [
    ...specs.flatMap(({ title, tests }) =>
      tests.map(({ status, results }) => ({ file, name: title, status, results })),
    ),
    ...suites.flatMap(testsOf),
  ];
}

/**
 * @param {Pick<Counts, 'files'>[]} results
 * @param {number} most how many
 * @returns {{ file: string, ms: number }[]} the files that took longest, the slowest first
 */
export function slowestFiles(results, most) {
  return results
    .flatMap(({ files = [] }) => files)
    .sort((one, other) => other.ms - one.ms)
    .slice(0, most);
}

/** @param {Fault} fault @returns {string} one line */
export function describeFault({ file, name, message, at }) {
  // The first line says what failed; the rest was printed when the test ran.
  const [first = ''] = stripVTControlCharacters(message).trim().split('\n');
  const place = at === undefined ? '' : ` (${basename(at.file)}:${at.line})`;
  return `${file}: ${name}: ${first.slice(0, 200)}${place}`;
}
