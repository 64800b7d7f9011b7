// Loaded into the service by --import: prints the event-loop delay since the last SIGUSR2 at each SIGUSR2.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on('SIGUSR2', () => {
  // The histogram holds the whole time between two checks; the part above the interval is the delay.
  const p99 = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
  console.log(`loop delay p99 ${p99.toFixed(2)} count ${delay.count}`);
  delay.reset();
});
