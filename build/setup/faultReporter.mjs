/** Failures that follow from another one, which is told by itself. */
const CONSEQUENCES = new Set(['subtestsFailed', 'cancelledByParent']);

/**
 * Reporter for `node --test`: writes the counts of the whole run, and what failed by itself, as one JSON object. A set-up
 * that fails takes every test of its suite with it: many failed tests, but one fault.
 * @param {AsyncIterable<{ type: string, data: object }>} source
 */
export default async function* faultReporter(source) {
  const faults = [];
  for await (const { type, data } of source) {
    if (type === 'test:fail' && data.file !== undefined) {
      const { error } = data.details;
      if (CONSEQUENCES.has(error?.failureType)) continue;
      faults.push({
        file: data.file,
        name: data.name,
        message: error?.cause?.message ?? error?.message ?? '',
      });
    }
    // There is also one summary for each file; the one of the whole run has no file.
    if (type === 'test:summary' && data.file === undefined) yield JSON.stringify({ ...data.counts, faults });
  }
}
