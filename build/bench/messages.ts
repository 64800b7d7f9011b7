import { setTimeout as sleep } from 'node:timers/promises';
import { TestScreen } from '../../server/kiosk/testing/testScreen.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { type Bench, median } from './bench.ts';

const MESSAGES = 15;
/** The ground of an alarm (server/pages/glass/message/message.css). */
const ALARM = '#A50E1F';

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
  const url = `${await service.url}/api/remote/message`;
  const authorization = `Bearer ${await service.token()}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({
    id: 'bench',
    text: 'Leave the house.',
    level: 'alarm',
    style: 'full',
    seconds: 0,
  });
  const isPainted = () => screen.colourAt(20, 780) === ALARM;
  const all: number[] = [];
  for (let n = 0; n < MESSAGES; n++) {
    const began = performance.now();
    const posted = fetch(url, { method: 'POST', headers, body });
    while (!isPainted()) await sleep(1);
    all.push(performance.now() - began);
    await posted;
    await fetch(`${url}/bench`, { method: 'DELETE', headers: { authorization } });
    while (isPainted()) await sleep(5);
    await sleep(300);
  }
  return { painted: median(all), worst: Math.max(...all) };
}
