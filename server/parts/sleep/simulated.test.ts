import { testRtcDriver } from '../testing/rtcDriverSuite.ts';
import { SimulatedRtc } from './driver.ts';

testRtcDriver('simulated', async () => {
  let now = 1_000;
  return {
    driver: new SimulatedRtc(() => now),
    pass: async (seconds) => {
      now += seconds * 1000;
    },
    close: async () => undefined,
  };
});
