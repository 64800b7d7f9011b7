import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf, processTree } from '../../../server/kiosk/recovery/processUse.ts';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import type { Bench } from '../bench.ts';
import { type Bundled, bundled } from '../start/bundled.ts';
import {
  type ElectronHere,
  electronHost,
  findElectron,
  openPlainElectron,
} from '../start/electronPrograms.ts';
import { chromiumHost, type OpenService, onScreen } from '../start/onScreen.ts';

/** Until what the start has left behind is collected: V8 lets go of it when nothing is asked for a while. */
const REST_MS = 20_000;
/** A board without the simulated one's camera and house. */
const SETTINGS = { FACEPLATE_BOARD: 'generic-linux' };
const PAGE =
  '<body style="background:#0a0"><h1>painted</h1><script>requestAnimationFrame(() => bare.report(1))</script>';

export const memoryBench: Bench = {
  name: 'memory',
  about:
    'the bundled service with its page, all that is off by default switched off, some seconds after its start',
  rows: [
    { key: 'service', label: 'memory of the service, PSS', unit: 'MiB', goal: { atMost: 100 } },
    { key: 'chromium', label: 'all processes with one page on a screen, Chromium host', unit: 'MiB' },
    { key: 'electron', label: 'the same, Electron host', unit: 'MiB' },
    { key: 'plainElectron', label: 'the same, plain Electron', unit: 'MiB', isPeer: true },
  ],
  ratios: [
    { label: 'Electron host / plain Electron', of: 'electron', by: 'plainElectron', goal: { atMost: 1.2 } },
  ],
  async setUp() {
    const program = await bundled();
    const electron = findElectron();
    return {
      notes: 'missing' in electron ? [electron.missing] : [],
      round: async () => ({
        service: await memoryOfService(program),
        chromium: await memoryOfHost(chromiumHost(program)),
        ...('program' in electron && {
          electron: await memoryOfHost(electronHost(electron, program)),
          plainElectron: await memoryOfPlain(electron),
        }),
      }),
      tearDown: async () => program[Symbol.asyncDispose](),
    };
  },
};

async function memoryOfService({ main, env }: Bundled): Promise<number> {
  const service = new FaceplateProcess({ kiosk: true, main, env: { ...env, ...SETTINGS } });
  try {
    await service.start();
    await sleep(REST_MS);
    return (await memoryOf([service.pid!])) / 2 ** 20;
  } finally {
    await service.stop();
  }
}

async function memoryOfHost(open: OpenService): Promise<number> {
  await using shown = await onScreen(open, SETTINGS);
  await shown.service.start();
  await shown.site.show(PAGE);
  return await memoryAtRest(shown.service.pid!);
}

async function memoryOfPlain(electron: ElectronHere): Promise<number> {
  await using plain = await openPlainElectron(electron);
  await plain.site.show(PAGE);
  return await memoryAtRest(plain.pid);
}

/** Of a process and all that it has started, in MiB. */
async function memoryAtRest(pid: number): Promise<number> {
  await sleep(REST_MS);
  return (await memoryOf(await processTree(pid))) / 2 ** 20;
}
