import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallMediaFactory } from '../../../server/intercom/media/factory.ts';
import { ChromiumPage } from '../../../server/intercom/testing/media/chromiumPage.ts';
import { CALL, description, RemoteParty } from '../../../server/intercom/testing/media/remoteParty.ts';
import { WeriftPage } from '../../../server/intercom/testing/media/weriftPage.ts';
import { silentLogger } from '../../../server/platform/log.ts';
import { deltaSlice, idrSlice } from '../../../server/testing/scriptedCamera.ts';
import { type Bench, median } from '../bench.ts';
import { cpuOf } from '../processCpu.ts';
import type { RelayMessage, RelayRequest } from './callRelay.ts';
import { timeToRinging } from './ringing.ts';

const CPU_MS = 3_000;
/** Until all is under way. The code is warm from the set-up: a real call lasts longer than this. */
const RUN_UP_MS = 1_500;
const WARM_MS = 6_000;
const TRIES = 8;
const PANELS = 30;
const PACKET_MS = 20;
/** Video of 15 pictures per second and about 500 kbit/s, in packets. */
const FRAME_MS = 66;
const PACKETS_PER_FRAME = 4;
const VIDEO_PACKET = 1_000;

export const sipBench: Bench = {
  name: 'sip',
  about: 'from the call of a door station to the ring and the first sound in the page',
  rows: [
    { key: 'ringing', label: `INVITE to the event in the page (${TRIES} tries)`, unit: 'ms' },
    {
      key: 'firstAudio',
      label: `answer to first sound in Chromium (${TRIES} tries)`,
      unit: 'ms',
      goal: { atMost: 60 },
    },
  ],
  ratios: [],
  async setUp() {
    const ends = new Ends();
    const browser = await ChromiumPage.open(ends);
    const factory = new CallMediaFactory({ page: browser, log: silentLogger() });
    await factory.start();
    ends.after(() => factory.stop());
    return {
      round: async () => ({
        ringing: await timeToRinging(TRIES),
        firstAudio: await timeToFirstAudio(factory, browser),
      }),
      tearDown: () => ends.close(),
    };
  },
};

export const sipLoadBench: Bench = {
  name: 'sip-load',
  about: `media of calls: one with PCMU and H.264 both ways, and one microphone for ${PANELS} panels`,
  rows: [
    { key: 'call', label: 'CPU of a call with PCMU and H.264', unit: '%', goal: { atMost: 3 } },
    { key: 'bare', label: 'CPU of forwarding the same packets unread', unit: '%', isPeer: true },
    { key: 'paging', label: `CPU of an announcement to ${PANELS} panels`, unit: '%', goal: { atMost: 100 } },
    { key: 'lost', label: 'packets that a panel missed during this', unit: '', goal: { atMost: 0 } },
  ],
  ratios: [{ label: 'CPU of a call / forwarding unread', of: 'call', by: 'bare', goal: { atMost: 4 } }],
  async setUp() {
    const relay = await Relay.start();
    await loadOfCall(relay, WARM_MS);
    return {
      round: async () => ({
        call: await loadOfCall(relay),
        bare: await loadOfBareRelay(),
        ...(await loadOfPaging(relay)),
      }),
      tearDown: () => relay.stop(),
    };
  },
};

/** What has to be closed after a round, or after the bench. */
class Ends {
  readonly #ends: (() => unknown)[] = [];

  after(end: () => unknown): void {
    this.#ends.push(end);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }
}

/** From the remote party's answer to the first packet that the browser plays. */
async function timeToFirstAudio(factory: CallMediaFactory, page: ChromiumPage): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < TRIES; i++) {
    const ends = new Ends();
    try {
      const far = await RemoteParty.open(ends);
      const call = await factory.open(CALL);
      ends.after(() => call.stop());
      far.aimAt(await call.offer());
      every(ends, PACKET_MS, (tick) => far.send(0, tick * 160, Buffer.alloc(160, tick)));
      const answeredAt = Date.now();
      await call.accept(description({ port: far.port, formats: '0' }));
      times.push((await page.firstSoundAt()) - answeredAt);
    } finally {
      await ends.close();
    }
  }
  return median(times);
}

/** The relay in a separate process; its page is here. */
class Relay {
  readonly page = new WeriftPage();
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answers: readonly string[]) => void>();
  #requests = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message: RelayMessage) => {
      if (message.kind === 'done') this.#waiting.get(message.id)?.(message.answers);
      if (message.kind === 'close') void this.page.close(message.connection);
      if (message.kind !== 'connect') return;
      const { id, offer } = message;
      void this.page.connect(offer).then((sdp) => this.#send({ kind: 'page', id, sdp }));
    });
  }

  static async start(): Promise<Relay> {
    const child = fork(join(import.meta.dirname, 'callRelay.ts'));
    await once(child, 'message');
    return new Relay(child);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** @returns the answers to the offers. */
  async ask(
    request:
      | Omit<Extract<RelayRequest, { kind: 'call' }>, 'id'>
      | Omit<Extract<RelayRequest, { kind: 'broadcast' }>, 'id'>
      | { kind: 'stop' },
  ): Promise<readonly string[]> {
    const id = ++this.#requests;
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    this.#waiting.set(id, resolve);
    this.#send({ ...request, id });
    return promise;
  }

  async connected(): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      if (this.page.connections.size === 1 && this.page.latest.isConnected) return;
      await sleep(PACKET_MS);
    }
    throw new Error('the page did not connect');
  }

  async stop(): Promise<void> {
    await this.ask({ kind: 'stop' });
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
    await this.page.crash();
  }

  #send(request: RelayRequest): void {
    this.#child.send(request);
  }
}

async function loadOfCall(relay: Relay, runUpMs = RUN_UP_MS): Promise<number> {
  const ends = new Ends();
  const [audio, video] = [await RemoteParty.open(ends), await RemoteParty.open(ends)];
  const offer = description(
    { port: audio.port, formats: '0' },
    {
      port: video.port,
      formats: '97',
      lines: ['a=rtpmap:97 H264/90000', 'a=fmtp:97 packetization-mode=1', 'a=rtcp-fb:97 nack pli'],
    },
  );
  const [answer] = await relay.ask({ kind: 'call', media: { ...CALL, video: true }, offer });
  audio.aimAt(answer!);
  video.aimAt(answer!, 'video');
  await relay.connected();
  const { latest } = relay.page;
  talk(ends, (kind, tick, payload, marker) => {
    const [end, payloadType, clock] = kind === 'audio' ? [audio, 0, 160] : [video, 97, 6_000];
    end.send(payloadType, tick * clock, payload, { marker });
    latest.send(kind, tick * clock, payload, marker);
  });
  await sleep(runUpMs);
  const cpu = await cpuOf(relay.pid, CPU_MS);
  if (latest.received.video.length < 100 || video.received.length < 100)
    throw new Error('no media came through');
  await ends.close();
  await relay.ask({ kind: 'stop' });
  return cpu;
}

/** Sends the sound and picture of one end, at their pace. */
function talk(
  ends: Ends,
  send: (kind: 'audio' | 'video', tick: number, payload: Buffer, marker: boolean) => void,
): void {
  every(ends, PACKET_MS, (tick) => send('audio', tick, Buffer.alloc(160, tick), false));
  every(ends, FRAME_MS, (tick) => {
    for (let part = 1; part <= PACKETS_PER_FRAME; part++) {
      const slice = tick % 75 === 0 && part === 1 ? idrSlice(VIDEO_PACKET) : deltaSlice(VIDEO_PACKET);
      send('video', tick, slice, part === PACKETS_PER_FRAME);
    }
  });
}

async function loadOfBareRelay(): Promise<number> {
  const ends = new Ends();
  const child = fork(join(import.meta.dirname, 'bareRelay.ts'));
  ends.after(() => child.kill('SIGKILL'));
  const portTo = async (target: RemoteParty): Promise<number> => {
    child.send(target.port);
    return ((await once(child, 'message')) as [number])[0];
  };
  // Sound and picture, each in both directions: to a remote party and to the stand-in for the page.
  const lines: [RemoteParty, RemoteParty][] = [];
  for (let i = 0; i < 2; i++) {
    const line: [RemoteParty, RemoteParty] = [await RemoteParty.open(ends), await RemoteParty.open(ends)];
    line[0].aimAt(`m=audio ${await portTo(line[1])}`);
    line[1].aimAt(`m=audio ${await portTo(line[0])}`);
    lines.push(line);
  }
  talk(ends, (kind, tick, payload, marker) => {
    for (const end of lines[kind === 'audio' ? 0 : 1]!) end.send(0, tick, payload, { marker });
  });
  await sleep(RUN_UP_MS);
  const cpu = await cpuOf(child.pid!, CPU_MS);
  if (lines.some((line) => line.some(({ received }) => received.length < 100)))
    throw new Error('nothing came through');
  await ends.close();
  return cpu;
}

async function loadOfPaging(relay: Relay): Promise<{ paging: number; lost: number }> {
  const ends = new Ends();
  const panels = await Promise.all(Array.from({ length: PANELS }, () => RemoteParty.open(ends)));
  const offers = panels.map(({ port }) => description({ port, formats: '0', lines: ['a=recvonly'] }));
  await relay.ask({ kind: 'broadcast', media: CALL, offers });
  await relay.connected();
  const { latest } = relay.page;
  every(ends, PACKET_MS, (tick) => latest.send('audio', tick * 160, Buffer.alloc(160, tick)));
  await sleep(RUN_UP_MS);
  const paging = await cpuOf(relay.pid, CPU_MS);
  const lost = Math.max(
    ...panels.map(({ received }) => {
      const steps = received.slice(1).map(({ sequence }, i) => (sequence - received[i]!.sequence) & 0xffff);
      return steps.reduce((sum, step) => sum + step - 1, 0);
    }),
  );
  await ends.close();
  await relay.ask({ kind: 'stop' });
  return { paging, lost };
}

/** Runs something at a steady pace. */
function every(ends: Ends, milliseconds: number, run: (tick: number) => void): void {
  let tick = 0;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    // Each timer of Node is up to a millisecond late: this makes up for it.
    while (tick * milliseconds < performance.now() - startedAt) run(tick++);
  }, milliseconds);
  ends.after(() => clearInterval(timer));
}
