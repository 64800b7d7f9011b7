// Loaded into the service by --import, with --expose-gc: says at each SIGUSR2 what memory is in use once the collector
// has run. The resident set alone moves by tens of MB with what waits to be collected.
process.on('SIGUSR2', () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const mb = (bytes) => (bytes / 2 ** 20).toFixed(1);
  process.stdout.write(`memory used ${mb(heapUsed + external)} resident ${mb(rss)}\n`);
});
