// Loaded into the service by --import, with --expose-gc: prints at each SIGUSR2 the memory in use after garbage
// collection. The resident set alone varies by tens of MB with uncollected garbage.
process.on('SIGUSR2', () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const mb = (bytes) => (bytes / 2 ** 20).toFixed(1);
  process.stdout.write(`memory used ${mb(heapUsed + external)} resident ${mb(rss)}\n`);
});
