import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from '@playwright/test';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { freeSipPort } from '../../../server/testing/sip/ports.ts';
import { median } from '../bench.ts';

const LOOPBACK = '127.0.0.1';
const WAIT_MS = 20_000;

/** The page's objects, and values that the bench keeps in it. */
interface PageGlobals {
  readonly container?: {
    readonly sip: {
      on(event: 'incomingCall', listener: () => void): void;
      getStatus(): Promise<{ readonly callStatus: string }>;
    };
  };
  rangAt: number[];
}

/**
 * Time from the INVITE to the event of the call in the kiosk page, with the complete service, its kiosk and its
 * intercom page.
 * @returns the median in milliseconds
 */
export async function timeToRinging(tries: number): Promise<number> {
  const port = await freeSipPort();
  const service = new FaceplateProcess({
    kiosk: true,
    env: {
      FACEPLATE_KIOSK_FAKE_MEDIA: 'true',
      FACEPLATE_SIP_ENABLED: 'true',
      FACEPLATE_SIP_HOST: LOOPBACK,
      FACEPLATE_SIP_PORT: String(port),
      FACEPLATE_SIP_ALLOW: LOOPBACK,
      FACEPLATE_SIP_DISCOVERY: 'false',
    },
  });
  const socket = createSocket('udp4').bind(0, LOOPBACK);
  try {
    await once(socket, 'listening');
    await service.start();
    const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
    const page = browser
      .contexts()
      .flatMap((context) => context.pages())
      .find((one) => !/^http:\/\/intercom\.localhost/.test(one.url()));
    if (page === undefined) throw new Error('the kiosk shows no page');
    await page.waitForFunction(() => (globalThis as unknown as PageGlobals).container !== undefined);
    await page.evaluate(async () => {
      const globals = globalThis as unknown as PageGlobals;
      globals.rangAt = [];
      globals.container!.sip.on('incomingCall', () =>
        globals.rangAt.push(performance.timeOrigin + performance.now()),
      );
      // A subscription has no answer, but the service handles calls in order: after this answer the subscription is active.
      await globals.container!.sip.getStatus();
    });
    const times: number[] = [];
    for (let count = 1; count <= tries; count++) times.push(await ringOnce(socket, port, page, count));
    await browser.close();
    return median(times);
  } finally {
    socket.close();
    await service.stop();
  }
}

async function ringOnce(socket: Socket, port: number, page: Page, count: number): Promise<number> {
  const sentAt = performance.timeOrigin + performance.now();
  socket.send(request('INVITE', socket, port, count), port, LOOPBACK);
  const rang = await page.waitForFunction(
    (index) => (globalThis as unknown as PageGlobals).rangAt[index],
    count - 1,
    { timeout: WAIT_MS },
  );
  const rangAt = (await rang.jsonValue())!;
  // Only a ringing call can be cancelled.
  await sleep(200);
  socket.send(request('CANCEL', socket, port, count), port, LOOPBACK);
  await page.waitForFunction(
    async () =>
      (await (globalThis as unknown as PageGlobals).container!.sip.getStatus()).callStatus === 'idle',
    undefined,
    { timeout: WAIT_MS },
  );
  socket.send(request('ACK', socket, port, count), port, LOOPBACK);
  return rangAt - sentAt;
}

function request(method: string, socket: Socket, port: number, count: number): string {
  const own = `${LOOPBACK}:${socket.address().port}`;
  const body =
    method === 'INVITE'
      ? `v=0\r\no=- 1 1 IN IP4 ${LOOPBACK}\r\ns=-\r\nc=IN IP4 ${LOOPBACK}\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n`
      : '';
  return [
    `${method} sip:panel@${LOOPBACK}:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP ${own};branch=z9hG4bKring${count};rport`,
    `From: <sip:door@${own}>;tag=door${count}`,
    `To: <sip:panel@${LOOPBACK}:${port}>`,
    `Call-ID: ring${count}@bench`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:door@${own}>`,
    'Max-Forwards: 70',
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
