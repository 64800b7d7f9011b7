// Loaded into the service by --import: one SIGUSR2 begins to measure the event loop, the next ends that and prints the delay.
// It is off between them, because it wakes the process a hundred times a second.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let isOn = false;
process.on('SIGUSR2', () => {
  isOn = !isOn;
  if (isOn) {
    delay.reset();
    delay.enable();
    return;
  }
  delay.disable();
  // The histogram holds the whole time between two checks; the part above the interval is the delay.
  const p99 = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
  console.log(`loop delay p99 ${p99.toFixed(2)} count ${delay.count}`);
});
