/**
 * Reporter for `node --test`: writes the counts of the whole run as one JSON object.
 * @param {AsyncIterable<{ type: string, data: { file?: string, counts?: Record<string, number> } }>} source
 */
export default async function* countReporter(source) {
  for await (const { type, data } of source) {
    // There is also one summary for each file; the one of the whole run has no file.
    if (type === 'test:summary' && data.file === undefined) yield JSON.stringify(data.counts);
  }
}
