import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../../server/kiosk/recovery/processMemory.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import type { Bench } from './bench.ts';
import { bundled } from './bundled.ts';

/** Until what the start has left behind is collected: V8 lets go of it when nothing is asked for a while. */
const REST_MS = 20_000;

export const memoryBench: Bench = {
  name: 'memory',
  about:
    'the bundled service with its page, all that is off by default switched off, some seconds after its start',
  rows: [{ key: 'service', label: 'memory of the service, PSS', unit: 'MiB', goal: { atMost: 100 } }],
  ratios: [],
  async setUp() {
    const program = await bundled();
    return { round: () => memory(program), tearDown: async () => program[Symbol.asyncDispose]() };
  },
};

async function memory({ main, env }: { main: string; env: Readonly<Record<string, string>> }) {
  // A board without the simulated one's camera and house.
  const service = new FaceplateProcess({
    kiosk: true,
    main,
    env: { ...env, FACEPLATE_BOARD: 'generic-linux' },
  });
  try {
    await service.start();
    await sleep(REST_MS);
    return { service: (await memoryOf([service.pid!])) / 2 ** 20 };
  } finally {
    await service.stop();
  }
}
