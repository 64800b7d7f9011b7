import { testSerialDriver } from '../testing/serialDriverSuite.ts';
import { SimulatedSerial } from './simulated.ts';

testSerialDriver('simulated', async () => {
  const driver = new SimulatedSerial();
  return {
    driver,
    rival: driver,
    peerSends: async (bytes) => driver.peerSends(bytes),
    close: async () => undefined,
  };
});
