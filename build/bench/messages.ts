import { setTimeout as sleep } from 'node:timers/promises';
import { TestScreen } from '../../server/kiosk/testing/testScreen.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { type Bench, median } from './bench.ts';
import { callsOf } from './panelCalls.ts';
import { painted } from './touches.ts';

const MESSAGES = 15;
/** The ground of an alarm (server/pages/glass/message/message.css). */
const ALARM = '#A50E1F';
/** A pixel that only a message over the whole screen reaches. */
const CORNER = [20, 780] as const;

export const messagesBench: Bench = {
  name: 'messages',
  about: 'messages above the page, on a virtual X screen of 1280x800',
  rows: [
    { key: 'painted', label: `POST to painted (median of ${MESSAGES})`, unit: 'ms', goal: { atMost: 150 } },
    { key: 'worst', label: 'the slowest of them', unit: 'ms' },
  ],
  ratios: [],
  async setUp() {
    const screen = await TestScreen.open({ windowManager: true });
    const service = new FaceplateProcess({
      env: {
        FACEPLATE_HOST: 'chromium',
        FACEPLATE_KIOSK_HEADLESS: 'false',
        DISPLAY: screen.display,
        WAYLAND_DISPLAY: '',
      },
    });
    await service.start();
    await sleep(3_000);
    return {
      round: () => paint(service, screen),
      tearDown: async () => {
        await service.stop();
        await screen[Symbol.asyncDispose]();
      },
    };
  },
};

async function paint(service: FaceplateProcess, screen: TestScreen) {
  const { post, remove } = callsOf(service);
  const message = { id: 'bench', text: 'Leave the house.', level: 'alarm', style: 'full', seconds: 0 };
  const all: number[] = [];
  for (let n = 0; n < MESSAGES; n++) {
    const began = performance.now();
    const posted = post('remote/message', message);
    posted.catch(() => {});
    all.push((await painted(screen, CORNER, ALARM)) - began);
    await posted;
    await remove('remote/message/bench');
    await painted(screen, CORNER, ALARM, false);
    await sleep(300);
  }
  return { painted: median(all), worst: Math.max(...all) };
}
