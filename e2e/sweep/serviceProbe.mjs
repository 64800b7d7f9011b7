// Loaded into the service by --import, with --expose-gc. At each SIGUSR2 it prints the figures since the last one:
// longest delay of the event loop, most that it computed in one turn, CPU, peak of the resident set, and memory in use and resident after garbage collection.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const SAMPLE_MS = 50;
/** One turn of the loop after garbage collection, before the next period begins. */
const REST_MS = 100;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let peak = 0;
let cpu = process.cpuUsage();
let begun = performance.now();
const sample = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
setInterval(sample, SAMPLE_MS).unref();

/** Time on a core of the thread of the loop alone: it does not grow when other programs have the cores. */
const computed = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
};
let held = 0;
let last = computed();
setInterval(() => {
  const now = computed();
  held = Math.max(held, now - last);
  last = now;
}, RESOLUTION_MS).unref();

process.on('SIGUSR2', () => {
  sample();
  const { user, system } = process.cpuUsage(cpu);
  const seen = {
    // The histogram holds the whole time between two checks; the part above the interval is the delay.
    worstDelayMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    worstHeldMs: held,
    cpuShare: (user + system) / 1e3 / (performance.now() - begun),
    peakRss: peak,
  };
  globalThis.gc();
  globalThis.gc();
  setTimeout(() => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const resources = process.getActiveResourcesInfo().length;
    const line = JSON.stringify({ ...seen, rss, used: heapUsed + external, resources });
    delay.enable();
    delay.reset();
    peak = 0;
    held = 0;
    last = computed();
    cpu = process.cpuUsage();
    begun = performance.now();
    process.stdout.write(`probe ${line}\n`);
  }, REST_MS);
});
