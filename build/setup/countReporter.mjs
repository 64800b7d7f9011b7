/**
 * Reporter for `node --test`: writes the counts of the whole run, and the files with a failed test, as one JSON object.
 * @param {AsyncIterable<{ type: string, data: { file?: string, counts?: Record<string, number> } }>} source
 */
export default async function* countReporter(source) {
  const failedFiles = new Set();
  for await (const { type, data } of source) {
    if (type === 'test:fail' && data.file !== undefined) failedFiles.add(data.file);
    // There is also one summary for each file; the one of the whole run has no file.
    if (type === 'test:summary' && data.file === undefined) {
      yield JSON.stringify({ ...data.counts, failedFiles: [...failedFiles] });
    }
  }
}
