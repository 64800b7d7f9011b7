import { setTimeout as sleep } from 'node:timers/promises';
import { processTree } from '../../../server/platform/processes.ts';
import type { Bench } from '../bench.ts';
import { callsOf } from '../panelCalls.ts';
import { cpuOfAll } from '../processCpu.ts';
import { bundled } from '../start/bundled.ts';
import { electronHost, findElectron } from '../start/electronPrograms.ts';
import { chromiumHost, type OpenService, onScreen } from '../start/onScreen.ts';

/** The camera plays within this time, or there is no figure; generous, because machines are busy. */
const LIMIT_MS = 60_000;
/** Until code is compiled and caches are filled. */
const SETTLE_MS = 6_000;
const CPU_MS = 10_000;

/** The demo page with its camera (854x480, 25 pictures a second), on a screen, in each host. */
export const hostsBench: Bench = {
  name: 'hosts',
  about: 'CPU of all processes while the demo page plays its camera',
  isOnce: true,
  rows: [
    { key: 'chromium', label: 'Chromium host', unit: '%' },
    { key: 'electron', label: 'Electron host', unit: '%' },
  ],
  ratios: [{ label: 'Electron host / Chromium host', of: 'electron', by: 'chromium', goal: { atMost: 1.1 } }],
  async setUp() {
    const program = await bundled();
    const electron = findElectron();
    return {
      notes: 'missing' in electron ? [electron.missing] : [],
      round: async () => ({
        chromium: await cpuWithCamera(chromiumHost(program)),
        ...('program' in electron && { electron: await cpuWithCamera(electronHost(electron, program)) }),
      }),
      tearDown: async () => program[Symbol.asyncDispose](),
    };
  },
};

/** Of the service and everything it has started, in percent of one core. */
async function cpuWithCamera(open: OpenService): Promise<number> {
  await using shown = await onScreen(open, { FACEPLATE_BOARD: 'simulated', FACEPLATE_KIOSK_URL: '' });
  const { service } = shown;
  await service.start();
  const { get } = callsOf(service);
  const deadline = performance.now() + LIMIT_MS;
  const plays = async () => {
    const { sessions } = (await (await get('stream/sessions')).json()) as {
      sessions: readonly { readonly state: string; readonly viewers: number; readonly packets: number }[];
    };
    return sessions.some(({ state, viewers, packets }) => state === 'playing' && viewers > 0 && packets > 0);
  };
  while (!(await plays())) {
    if (performance.now() > deadline) throw new Error('The page does not play its camera.');
    await sleep(200);
  }
  await sleep(SETTLE_MS);
  return await cpuOfAll(processTree(service.pid!), CPU_MS);
}
