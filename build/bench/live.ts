import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { type Bench, median } from './bench.ts';
import { cpuOf, cpuOfAll } from './processCpu.ts';

const TAPS = 15;
const WATCHED_MS = 6_000;

/** Text and pictures as a panel has them; a tap changes it, `?moving` draws anew all the time. */
const PAGE = `<!doctype html><body style="margin:0;font:20px sans-serif"><script>
  document.body.innerHTML = Array.from({ length: 40 }, (_, i) => '<div style="float:left;width:230px;height:80px;margin:6px;' +
    'border-radius:8px;background:hsl(' + i * 9 + ' 60% 70%)">Lamp ' + i + ' is on</div>').join('');
  let hue = 0;
  addEventListener('pointerdown', () => { document.body.style.background = 'hsl(' + (hue += 67) + ' 50% 50%)'; });
  const box = document.createElement('div');
  box.style = 'position:fixed;top:300px;width:200px;height:200px;background:black';
  const move = (ms) => { box.style.left = (ms / 3) % 1080 + 'px'; requestAnimationFrame(move); };
  if (location.search === '?moving') { document.body.append(box); requestAnimationFrame(move); }
</script>`;

/** A viewer that notes when pictures come. */
async function watch(service: FaceplateProcess) {
  const url = (await service.url).replace('http', 'ws');
  const socket = new WebSocket(`${url}/api/manage/screen`, [
    'faceplate.screen',
    `bearer.${await service.token()}`,
  ]);
  let pictures = 0;
  let onPicture = () => {};
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') return;
    pictures++;
    onPicture();
  };
  const next = () =>
    new Promise<void>((resolve) => {
      onPicture = resolve;
    });
  await next();
  return { socket, next, pictures: () => pictures };
}

/** CPU of all the browser's processes together, in percent of one core. */
function browserCpu(service: FaceplateProcess): Promise<number> {
  return cpuOfAll(
    service.descendants.map(({ pid }) => pid),
    WATCHED_MS,
  );
}

export const liveBench: Bench = {
  name: 'live',
  about: 'the live screen over the WebSocket, a page of 1280x800',
  rows: [
    { key: 'tap', label: `touch to changed picture (median of ${TAPS})`, unit: 'ms', goal: { atMost: 250 } },
    { key: 'standing', label: 'service, a viewer of a standing page', unit: '%', goal: { atMost: 1 } },
    { key: 'moving', label: 'service, a viewer of a moving page', unit: '%', goal: { atMost: 15 } },
    { key: 'rate', label: 'pictures of the moving page', unit: '/s' },
    { key: 'browser', label: 'browser, moving page, watched', unit: '%' },
    { key: 'plain', label: 'browser, moving page, plain screencast', unit: '%', isPeer: true },
    { key: 'alone', label: 'browser, moving page, not watched', unit: '%' },
  ],
  ratios: [],
  async setUp() {
    const site = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
    );
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const home = `http://p1.localhost:${(site.address() as AddressInfo).port}/`;
    const started = async (query: string) => {
      const service = new FaceplateProcess({ kiosk: true, env: { FACEPLATE_KIOSK_URL: `${home}${query}` } });
      await service.start();
      return service;
    };
    const [still, moving] = [await started(''), await started('?moving')];
    return {
      round: async () => ({ ...(await ofStanding(still)), ...(await ofMoving(moving)) }),
      tearDown: async () => {
        await Promise.all([still.stop(), moving.stop()]);
        site.closeAllConnections();
        site.close();
      },
    };
  },
};

async function ofStanding(service: FaceplateProcess) {
  const { socket, next } = await watch(service);
  await sleep(1_000);
  const taps: number[] = [];
  for (let i = 0; i < TAPS; i++) {
    const changed = next();
    const began = performance.now();
    socket.send(JSON.stringify({ type: 'tap', x: 640, y: 700 }));
    await changed;
    taps.push(performance.now() - began);
    await sleep(500);
  }
  const standing = await cpuOf(service.pid!, WATCHED_MS);
  socket.close();
  return { tap: median(taps), standing };
}

async function ofMoving(service: FaceplateProcess) {
  const alone = await browserCpu(service);
  const { socket, pictures } = await watch(service);
  await sleep(2_000);
  const before = pictures();
  const [moving, browser] = await Promise.all([cpuOf(service.pid!, WATCHED_MS), browserCpu(service)]);
  const rate = ((pictures() - before) * 1_000) / WATCHED_MS;
  socket.close();
  await sleep(500);
  const devtools = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
  const context = devtools.contexts()[0]!;
  const session = await context.newCDPSession(context.pages()[0]!);
  session.on('Page.screencastFrame', ({ sessionId }) => {
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
  });
  await session.send('Page.startScreencast', { format: 'jpeg', quality: 70 });
  const plain = await browserCpu(service);
  await devtools.close();
  return { moving, rate, browser, plain, alone };
}
