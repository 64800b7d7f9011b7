import { setTimeout as sleep } from 'node:timers/promises';
import { openPlain } from '../../../e2e/bare/bareBrowser.ts';
import type { ReportSite } from '../../../e2e/bare/reportSite.ts';
import { memoryOf, processTree } from '../../../server/platform/processes.ts';
import type { Bench } from '../bench.ts';
import { bundled } from '../start/bundled.ts';
import { electronHost, findElectron, openPlainElectron } from '../start/electronPrograms.ts';
import { chromiumHost, type OpenService, onScreen } from '../start/onScreen.ts';

/** Until what the start has left behind is collected; half a minute later the sum is the same. */
const REST_MS = 5_000;
/** A board without the simulated one's camera and house. */
const SETTINGS = { FACEPLATE_BOARD: 'generic-linux' };
const PAGE =
  '<body style="background:#0a0"><h1>painted</h1><script>requestAnimationFrame(() => bare.report(1))</script>';

const ABOUT = 'with one page on a virtual X screen, all processes and the X server, PSS';

export const memoryBench: Bench = {
  name: 'memory',
  about: `the bundled service and its Chromium ${ABOUT}`,
  rows: [
    { key: 'service', label: 'memory of the service', unit: 'MiB', goal: { atMost: 100 } },
    { key: 'panel', label: 'memory of the whole panel', unit: 'MiB' },
    { key: 'plain', label: 'the same, chromium --kiosk alone', unit: 'MiB', isPeer: true },
  ],
  ratios: [{ label: 'panel / chromium --kiosk', of: 'panel', by: 'plain', goal: { atMost: 1.6 } }],
  async setUp() {
    const program = await bundled();
    return {
      async round() {
        const { service, all } = await memoryOfHost(chromiumHost(program));
        await using plain = await openPlain();
        return { service, panel: all, plain: await memoryWith(plain) };
      },
      tearDown: async () => program[Symbol.asyncDispose](),
    };
  },
};

export const electronMemoryBench: Bench = {
  name: 'electron-memory',
  about: `the bundled service in Electron ${ABOUT}`,
  rows: [
    { key: 'electron', label: 'memory of the whole panel, Electron host', unit: 'MiB' },
    { key: 'plainElectron', label: 'the same, plain Electron', unit: 'MiB', isPeer: true },
  ],
  ratios: [
    { label: 'Electron host / plain Electron', of: 'electron', by: 'plainElectron', goal: { atMost: 1.2 } },
  ],
  async setUp() {
    const electron = findElectron();
    if ('missing' in electron)
      return { notes: [electron.missing], round: async () => ({}), tearDown: async () => {} };
    const program = await bundled();
    return {
      async round() {
        const { all } = await memoryOfHost(electronHost(electron, program));
        await using plain = await openPlainElectron(electron);
        return { electron: all, plainElectron: await memoryWith(plain) };
      },
      tearDown: async () => program[Symbol.asyncDispose](),
    };
  },
};

async function memoryOfHost(open: OpenService): Promise<{ service: number; all: number }> {
  await using shown = await onScreen(open, SETTINGS);
  await shown.service.start();
  const all = await memoryWith(shown);
  return { service: (await memoryOf([shown.service.pid!])) / 2 ** 20, all };
}

/** Of all that this bench has started, in MiB, with the page shown. */
async function memoryWith({ site }: { readonly site: ReportSite }): Promise<number> {
  await site.show(PAGE);
  await sleep(REST_MS);
  const pids = processTree(process.pid);
  return (await memoryOf(pids.filter((pid) => pid !== process.pid))) / 2 ** 20;
}
