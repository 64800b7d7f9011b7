import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { GROUP_END } from './testGroups.mjs';
import { PROGRESS_VARIABLE } from './testProgress.mjs';
import { STILL_RUNNING } from './testReport.mjs';

/** A file that can be run once more by itself; others only define tests for it. */
const TEST_FILE = /\.(test|full|electron)\.(ts|mjs)$/;

/** Failures caused by another failure that is reported itself. */
const CONSEQUENCES = new Set(['subtestsFailed', 'cancelledByParent']);

/**
 * Reporter for `node --test`: writes the counts of the whole run, the original failures, and the time of each file, as
 * one JSON object. A failed set-up fails every test of its suite: many failed tests, but one fault.
 * @param {AsyncIterable<import('node:test/reporters').TestEvent>} source
 */
export default async function* faultReporter(source) {
  const faults = [];
  const files = [];
  const leftBy = new Map();
  const addFile = (file, ms) => {
    files.push({ file, ms });
    if (process.env[PROGRESS_VARIABLE] !== undefined) appendFileSync(process.env[PROGRESS_VARIABLE], '.\n');
  };
  for await (const { type, data } of source) {
    if (type === 'test:stderr' && data.message.startsWith(STILL_RUNNING)) {
      leftBy.set(data.file, data.message.trim());
    }
    const isOfGroup = 'file' in data && (data.file?.endsWith(GROUP_END) ?? false);
    // In a group each file is a suite.
    if (isOfGroup && (type === 'test:pass' || type === 'test:fail') && TEST_FILE.test(data.name))
      addFile(resolve(data.name), data.details.duration_ms);
    if (type === 'test:fail' && data.file !== undefined) {
      /** @type {{ error?: { message: string, failureType?: string, cause?: Error } }} */
      const { error } = data.details;
      if (CONSEQUENCES.has(error?.failureType)) continue;
      const message = leftBy.get(data.name) ?? error?.cause?.message ?? error?.message ?? '';
      const file = isOfGroup && TEST_FILE.test(data.name) ? resolve(data.name) : data.file;
      faults.push({ file: fileOf(file, message), name: data.name, message });
    }
    if (type !== 'test:summary') continue;
    // Each file has a summary; the summary of the whole run has no file.
    if (data.file === undefined) yield JSON.stringify({ ...data.counts, faults, files });
    else if (!isOfGroup) addFile(data.file, data.duration_ms);
  }
}

/** A test that a helper defines has the helper's place: then the file is the first that its words name. */
function fileOf(file, message) {
  const named = /[^\s(]+\.(?:test|full|electron)\.(?:ts|mjs)(?=:\d)/.exec(message)?.[0];
  return TEST_FILE.test(file) || named === undefined ? file : resolve(named);
}
