import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { processTree } from '../../../server/platform/processes.ts';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { OnvifCamera } from '../../../server/video/testing/onvifCamera.ts';
import type { Bench } from '../bench.ts';
import { callsOf } from '../panelCalls.ts';
import { cpuOfAll } from '../processCpu.ts';
import { FULL_HD, liveCameras, SMALL } from './liveCameras.ts';
import { closeTiles, openTiles, switchTile, tilePictures } from './wall.ts';

const FOUND = 32;
const TILES = 8;
const SETTLE_MS = 2_000;
const CPU_MS = 3_000;
const SMALL_SIZE = { width: 640, height: 360 };
const LARGE_SIZE = { width: 1_920, height: 1_080 };
/** Where cameras are asked (WS-Discovery 1.0, section 2.4). */
const [GROUP, PORT] = ['239.255.255.250', 3_702];

export const camerasBench: Bench = {
  name: 'cameras',
  about:
    'ONVIF cameras with a stream of 1920x1080 and one of 640x360: search, switch between them, a wall of 8 tiles',
  rows: [
    { key: 'search', label: `search of 3 s, ${FOUND} cameras answer`, unit: 's', goal: { atMost: 3.5 } },
    { key: 'missing', label: 'cameras that it did not find', unit: '', goal: { atMost: 0 } },
    { key: 'gap', label: 'longest time without a picture at a switch', unit: 'ms', goal: { atMost: 1_000 } },
    { key: 'black', label: 'black pictures at a switch', unit: '', goal: { atMost: 0 } },
    {
      key: 'small',
      label: `CPU of the browser for a picture in one of ${TILES} tiles, streams that fit`,
      unit: 'ms',
    },
    { key: 'main', label: 'the same with the main streams', unit: 'ms', isPeer: true },
  ],
  ratios: [
    { label: 'CPU, streams that fit / main streams', of: 'small', by: 'main', goal: { atMost: 0.333 } },
  ],
  async setUp() {
    await using stack = new AsyncDisposableStack();
    const { urls } = await liveCameras(stack, {
      main: { clip: { ...FULL_HD, seconds: 2 } },
      small: { clip: { ...SMALL, seconds: 2 } },
    });
    const camera = new OnvifCamera({
      login: 'none',
      profiles: [
        { token: 'main', codec: 'H264', ...LARGE_SIZE, uri: urls.main! },
        { token: 'small', codec: 'H264', ...SMALL_SIZE, uri: urls.small! },
      ],
    });
    await camera.start('0.0.0.0');
    stack.defer(() => camera.stop());
    await answerSearches(stack, camera.port);
    const service = new FaceplateProcess({
      kiosk: true,
      // A board without a camera, which the demo would otherwise play.
      env: { FACEPLATE_LOG_LEVEL: 'silent', FACEPLATE_BOARD: 'generic-linux' },
    });
    await service.start();
    stack.defer(async () => void (await service.stop()));
    const { get } = callsOf(service);
    const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
    stack.defer(() => browser.close());
    const page = browser.contexts()[0]!.pages()[0]!;
    // The wall alone: Chromium draws what is between and under its tiles again with them.
    await page.evaluate('document.body.replaceChildren()');
    const url = camera.url();
    const search = async () => {
      const startedAt = performance.now();
      const answer = (await (await get('stream/cameras?seconds=3')).json()) as {
        cameras: readonly { readonly port: number; readonly needsLogin: boolean | null }[];
      };
      const found = answer.cameras.filter(
        ({ port, needsLogin }) => port === camera.port && needsLogin === false,
      );
      return { search: (performance.now() - startedAt) / 1_000, missing: FOUND - found.length };
    };
    // For a picture, as a busy machine leaves out pictures of the main streams: the share of a core would then be too small.
    const cpu = async (size: typeof SMALL_SIZE): Promise<number> => {
      await page.evaluate(openTiles, { count: TILES, url, size });
      await sleep(SETTLE_MS);
      const all = processTree(service.pid!);
      const before = await page.evaluate(tilePictures);
      const percent = await cpuOfAll(
        all.filter((pid) => pid !== service.pid),
        CPU_MS,
      );
      const after = await page.evaluate(tilePictures);
      await page.evaluate(closeTiles);
      return ((percent / 100) * (after.at - before.at)) / (after.count - before.count);
    };
    const ending = stack.move();
    return {
      round: async () => {
        await page.evaluate(openTiles, { count: 1, url, size: SMALL_SIZE });
        const [found, switched] = await Promise.all([
          search(),
          page.evaluate(switchTile, { size: LARGE_SIZE }),
        ]);
        await page.evaluate(closeTiles);
        return { ...found, ...switched, small: await cpu(SMALL_SIZE), main: await cpu(LARGE_SIZE) };
      },
      tearDown: () => ending.disposeAsync(),
    };
  },
};

/** Cameras at 127.0.0.11 and so on: a search takes only some answers of one address. */
async function answerSearches(stack: AsyncDisposableStack, port: number): Promise<void> {
  const listen = async (socket: Socket, at: number, host?: string): Promise<Socket> => {
    stack.defer(() => void socket.close());
    socket.bind(at, host);
    await once(socket, 'listening');
    return socket;
  };
  const cameras = await Promise.all(
    Array.from({ length: FOUND }, (_, at) => listen(createSocket('udp4'), 0, `127.0.0.${11 + at}`)),
  );
  const answer = (asked: string) =>
    `<?xml version="1.0"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery" xmlns:dn="http://www.onvif.org/ver10/network/wsdl"><s:Header><a:RelatesTo>${asked}</a:RelatesTo></s:Header><s:Body><d:ProbeMatches><d:ProbeMatch><d:Types>dn:NetworkVideoTransmitter</d:Types><d:Scopes>onvif://www.onvif.org/name/Door</d:Scopes><d:XAddrs>http://0.0.0.0:${port}/onvif/device_service</d:XAddrs></d:ProbeMatch></d:ProbeMatches></s:Body></s:Envelope>`;
  const group = await listen(createSocket({ type: 'udp4', reuseAddr: true }), PORT);
  group.addMembership(GROUP, '127.0.0.1');
  group.on('message', (bytes, { address, port: from }) => {
    const asked = /MessageID>([^<]+)</.exec(bytes.toString())?.[1] ?? '';
    for (const camera of cameras) camera.send(answer(asked), from, address);
  });
}
