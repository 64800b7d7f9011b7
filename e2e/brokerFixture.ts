import { Mosquitto } from '../server/testing/mosquitto.ts';

/** A broker for the tests of a file, as a fixture of Playwright's worker. */
export const brokerOfWorker: [
  (args: object, use: (broker: Mosquitto) => Promise<void>) => Promise<void>,
  { scope: 'worker' },
] = [
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  async ({}, use) => {
    const broker = await Mosquitto.start();
    await use(broker);
    await broker.stop();
  },
  { scope: 'worker' },
];
