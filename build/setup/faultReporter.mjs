import { STILL_RUNNING } from './testReport.mjs';

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
  for await (const { type, data } of source) {
    if (type === 'test:stderr' && data.message.startsWith(STILL_RUNNING)) {
      leftBy.set(data.file, data.message.trim());
    }
    if (type === 'test:fail' && data.file !== undefined) {
      /** @type {{ error?: { message: string, failureType?: string, cause?: Error } }} */
      const { error } = data.details;
      if (CONSEQUENCES.has(error?.failureType)) continue;
      faults.push({
        file: data.file,
        name: data.name,
        message: leftBy.get(data.name) ?? error?.cause?.message ?? error?.message ?? '',
      });
    }
    if (type !== 'test:summary') continue;
    // Each file has a summary; the summary of the whole run has no file.
    if (data.file === undefined) yield JSON.stringify({ ...data.counts, faults, files });
    else files.push({ file: data.file, ms: data.duration_ms });
  }
}
