import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from '@playwright/test';
import { memoryOf } from '../../../server/platform/processes.ts';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { type Bench, median } from '../bench.ts';
import { cpuTimeOf } from '../processCpu.ts';
import { type CameraRelay, relayedCamera } from './cameraRelay.ts';
import { CODE, FOUR_K, FULL_HD, type LiveOrder, liveCameras, SMALL } from './liveCameras.ts';
import { go2rtc, MediaProxy, mediaMtx } from './mediaProxy.ts';
import { otherServer, ourServer, type WatchedServer, watch } from './servers.ts';
import { picturesShown, type ShownOrder, type ShownPicture } from './shown.ts';
import { POINTS, PROGRAMS, VIEWERS } from './videoPicture.ts';

const TRIES = 5;
const PEER_TRIES = 2;
/** Wait before the CPU is measured, for each new viewer: in its first seconds handshakes and what they leave behind dominate. */
const SETTLE_MS = 600;
const LEAST_SETTLE_MS = 1_000;
/** A round must not take a minute: each is to meet what the service does twice a minute (`health`) at another point. */
const CPU_MS = 2_500;
/**
 * Before the first CPU of all, the servers serve all viewers this long: Node compiles what runs often, once for one camera and
 * anew for several, and a panel runs for months.
 */
const WARM_UP_MS = 8_000;
/** How long Faceplate keeps a camera that nobody watches. */
const LINGER_MS = 2_000;
/** Pictures are read only when a viewer has begun. */
const AFTER_MS = 500;
const DELAY_MS = 1_000;
const LOSS_MS = 4_000;
/** A pause that people see: five pictures. */
const FREEZE_MS = 200;
/** Between the time stamps of two pictures: half a picture. */
const NEWER_TICKS = 1_800;
/** Pause before each try, in milliseconds. With it those of ours and of the stand-in in turn spread over a GOP of 2 s. */
const PAUSE_MS = 520;
/** Cameras there are asked for UDP. */
const LOSSY_HOST = '127.0.0.2';
const LOSSES = [1, 5] as const;

/** Of both peers, what is better. */
const BETTER = 'the better of go2rtc and MediaMTX';

export const videoBench: Bench = {
  name: 'video',
  about:
    'eight 1080p cameras of 4 Mbit/s with sound, and one of 16 Mbit/s and 4K, beside go2rtc and MediaMTX',
  isLong: true,
  rows: [
    { key: 'cold', label: 'POST to first frame, camera not connected', unit: 'ms' },
    {
      key: 'afterKeyFrame',
      label: `the camera's first key frame to first frame`,
      unit: 'ms',
      goal: { atMost: 100 },
    },
    { key: 'coldPeer', label: `POST to first frame, not connected, ${BETTER}`, unit: 'ms', isPeer: true },
    { key: 'warm', label: `POST to first frame, connected (${TRIES} tries)`, unit: 'ms' },
    { key: 'standIn', label: 'the same from a stand-in with nothing to do', unit: 'ms', isPeer: true },
    { key: 'warmPeer', label: `the same, ${BETTER}`, unit: 'ms', isPeer: true },
    { key: 'delay', label: 'a picture leaves the camera to shown', unit: 'ms' },
    { key: 'delayPeer', label: `the same, ${BETTER}`, unit: 'ms', isPeer: true },
    ...LOSSES.flatMap((percent) => [
      {
        key: `frozen${percent}`,
        label: `frozen, of ${LOSS_MS / 1_000} s, ${percent} % of the packets lost`,
        unit: 's',
      },
      { key: `more${percent}`, label: `more than ${BETTER}`, unit: 's', goal: { atMost: 0 } },
    ]),
    ...PROGRAMS.flatMap(({ key, label }) =>
      POINTS.map((point) => ({
        key: `${key}${point.key}`,
        label: `CPU of ${label}, ${point.label}`,
        unit: '%',
        isDrawn: true as const,
        ...(key !== 'ours' && { isPeer: true as const }),
      })),
    ),
    ...PROGRAMS.flatMap(({ key, label }) => {
      const peer = key !== 'ours' && { isPeer: true as const };
      return [
        { key: `${key}Megabit`, label: `${label}: CPU for a megabit, 8 viewers`, unit: 'ms', ...peer },
        { key: `${key}Memory`, label: `${label}: memory with 8 viewers, PSS`, unit: 'MiB', ...peer },
      ];
    }),
  ],
  ratios: [
    { label: 'first frame / from the stand-in', of: 'warm', by: 'standIn', goal: { atMost: 1 } },
    { label: 'first frame, connected, of the peer / ours', of: 'warmPeer', by: 'warm', goal: { atLeast: 5 } },
    { label: 'delay / of the better peer', of: 'delay', by: 'delayPeer', goal: { atMost: 0.8 } },
    ...POINTS.map(({ key, label }) => ({
      label: `CPU / of the better peer, ${label}`,
      of: `ours${key}`,
      by: `peer${key}`,
      goal: { atMost: 0.5 },
    })),
  ],
  async setUp() {
    await using stack = new AsyncDisposableStack();
    const notes: string[] = [];
    const programs = new Map<'go2rtc' | 'mediaMtx', string>();
    for (const [key, kind] of Object.entries(kinds)) {
      const program = await kind.build().catch((error: Error) => void notes.push(error.message));
      if (program !== undefined) programs.set(key as keyof typeof kinds, program);
    }
    const cold = await relayedCamera();
    stack.defer(() => cold.stop());
    const live = await liveCameras(stack, ORDERS);
    const urls: Readonly<Record<string, string>> = { ...live.urls, cold: cold.url };
    const service = new FaceplateProcess({
      kiosk: true,
      env: {
        FACEPLATE_LOG_LEVEL: 'silent',
        // A board without a camera, which the demo would otherwise play.
        FACEPLATE_BOARD: 'generic-linux',
        FACEPLATE_STREAMS_LINGER_SECONDS: String(LINGER_MS / 1_000),
        FACEPLATE_STREAMS_UDP_HOSTS: LOSSY_HOST,
      },
    });
    await service.start();
    stack.defer(async () => void (await service.stop()));
    const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
    stack.defer(() => browser.close());
    const page = browser.contexts()[0]!.pages()[0]!;
    // The panel's page may not call other servers; without this it could not be the viewer of all.
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Page.setBypassCSP', { enabled: true });
    await page.reload();
    const standIn = fork(join(import.meta.dirname, 'standIn.ts'), [cold.direct]);
    stack.defer(() => void standIn.kill('SIGKILL'));
    const [endpoint] = (await once(standIn, 'message')) as [string];
    const ours = await ourServer(service, urls);
    const ending = stack.move();
    let warmUpMs = WARM_UP_MS;
    return {
      notes,
      round: async () => {
        // New ones in each round: their cameras are not connected.
        await using peers = new AsyncDisposableStack();
        const servers: Servers = { ours };
        for (const [key, program] of programs) {
          const proxy = new MediaProxy(kinds[key], program);
          peers.defer(() => proxy.stop());
          await proxy.start(urls);
          servers[key] = otherServer(proxy);
        }
        const lossy: Servers = { ours };
        for (const [key, program] of programs) {
          const proxy = new MediaProxy(kinds[key], program);
          peers.defer(() => proxy.stop());
          await proxy.start(urls, 'udp');
          lossy[key] = otherServer(proxy);
        }
        // A type that the browser asks no leave for.
        const first = await firstFrames(page, servers, cold.relay, { endpoint, type: 'text/plain' });
        // Before the loads: a camera whose pictures came unevenly a moment ago is shown evenly, which takes longer.
        const delay = await delays(page, servers, live.sentAt);
        const cpu = await loads(servers, warmUpMs);
        warmUpMs = 0;
        return { ...first, ...delay, ...cpu, ...(await freezes(page, lossy)) };
      },
      tearDown: () => ending.disposeAsync(),
    };
  },
};

const kinds = { go2rtc, mediaMtx };

/** Ours, and the peers that are here. */
type Servers = { ours: WatchedServer } & Partial<Record<keyof typeof kinds, WatchedServer>>;

const peersOf = ({ ours, ...peers }: Servers): WatchedServer[] => Object.values(peers);

/** The least of a number of each peer, where there is a peer. */
const leastOf = (key: string, values: readonly number[]): Record<string, number> =>
  values.length === 0 ? {} : { [key]: Math.min(...values) };

/** Cameras named 1 to 8, 4k, and lossy1 and lossy5 after the percent that they lose. */
const ORDERS: Readonly<Record<string, LiveOrder>> = {
  ...Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`${at + 1}`, { clip: FULL_HD }])),
  '4k': { clip: FOUR_K },
  ...Object.fromEntries(
    LOSSES.map((percent) => [`lossy${percent}`, { clip: SMALL, host: LOSSY_HOST, loss: percent / 100 }]),
  ),
};

/** Of a camera that begins with a key frame. */
async function firstFrames(
  page: Page,
  servers: Servers,
  relay: CameraRelay,
  standIn: ShownOrder,
): Promise<Record<string, number>> {
  const show = (order: ShownOrder) => page.evaluate(picturesShown, order);
  const ours = servers.ours.orderOf('cold');
  // The first one connects the stand-in to the camera, and the browser makes ready for the others.
  await show(standIn);
  relay.firstMediaAt = undefined;
  const cold = await show(ours);
  const afterKeyFrame = cold.at - (relay.firstMediaAt ?? Number.NaN);
  const warm: number[] = [];
  const bare: number[] = [];
  for (let i = 0; i < TRIES; i++) {
    await sleep(PAUSE_MS);
    warm.push((await show(ours)).ms);
    await sleep(PAUSE_MS);
    bare.push((await show(standIn)).ms);
  }
  // One after the other while they connect, then at the same time: each shows a picture once in a group.
  const coldPeers: number[] = [];
  for (const server of peersOf(servers)) coldPeers.push((await show(server.orderOf('cold'))).ms);
  const warmOf = async (server: WatchedServer): Promise<number> => {
    // They drop a camera that nobody watches.
    const end = await watch(server, 'cold', false);
    const tries: number[] = [];
    for (let i = 0; i < PEER_TRIES; i++) {
      await sleep(PAUSE_MS);
      tries.push((await show(server.orderOf('cold'))).ms);
    }
    await end();
    return median(tries);
  };
  const warmPeers = await Promise.all(peersOf(servers).map(warmOf));
  const own = { cold: cold.ms, afterKeyFrame, warm: median(warm), standIn: median(bare) };
  return { ...own, ...leastOf('coldPeer', coldPeers), ...leastOf('warmPeer', warmPeers) };
}

/** CPU at each point, of all servers at the same time, so that a busy moment slows all of them; and memory. */
async function loads(servers: Servers, warmUpMs: number): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const ends: (() => Promise<void>)[] = [];
  const each = Object.entries(servers);
  const add = async (camera: string) =>
    void ends.push(...(await Promise.all(each.map(([, server]) => watch(server, camera)))));
  const end = async () => void (await Promise.all(ends.splice(0).map((one) => one())));
  const measure = async (point: string, added: number) => {
    await sleep(Math.max(LEAST_SETTLE_MS, added * SETTLE_MS));
    const [startedAt, before] = [performance.now(), each.map(([, { pid }]) => cpuTimeOf(pid))];
    await sleep(CPU_MS);
    const passed = performance.now() - startedAt;
    for (const [index, [key, { pid }]] of each.entries())
      found[`${key}${point}`] = ((cpuTimeOf(pid) - before[index]!) / passed) * 100;
    Object.assign(
      found,
      leastOf(
        `peer${point}`,
        Object.keys(kinds).flatMap((key) => found[`${key}${point}`] ?? []),
      ),
    );
  };
  const addUpTo = async (viewers: number) => {
    const before = ends.length / each.length;
    await Promise.all(Array.from({ length: viewers - before }, (_, at) => add(`${before + at + 1}`)));
    return viewers - before;
  };
  if (warmUpMs > 0) {
    await addUpTo(Math.max(...VIEWERS));
    await sleep(warmUpMs);
    await end();
    // Some seconds longer the servers keep a camera whose last viewer has left.
    await sleep(LINGER_MS);
  }
  // From few to many, for the same reason.
  for (const viewers of VIEWERS) {
    await measure(`${viewers}`, await addUpTo(viewers));
  }
  for (const [key, { pid }] of each) {
    found[`${key}Memory`] = (await memoryOf([pid])) / 2 ** 20;
    found[`${key}Megabit`] = (found[`${key}8`]! * 10) / (8 * FULL_HD.megabits);
  }
  await end();
  await add('4k');
  await measure('4k', 1);
  await end();
  return found;
}

/** From the moment when the camera sends a picture to the moment when the screen shows it, by the number in the picture. */
async function delays(
  page: Page,
  servers: Servers,
  sentAt: (camera: string) => Promise<readonly number[]>,
): Promise<Record<string, number>> {
  const delayOf = async (server: WatchedServer): Promise<number> => {
    const order = { ...server.orderOf('1'), numbers: { afterMs: AFTER_MS, ms: DELAY_MS, ...CODE } };
    const { read } = await page.evaluate(picturesShown, order);
    const sent = await sentAt('1');
    // The clip has begun again meanwhile.
    const [loop, since] = [FULL_HD.seconds * 1_000, ({ number, at }: ShownPicture) => at - sent[number]!];
    return median(read.map((picture) => (since(picture) + 2 * loop) % loop));
  };
  const delay = await delayOf(servers.ours);
  const peers: number[] = [];
  for (const server of peersOf(servers)) peers.push(await delayOf(server));
  return { delay, ...leastOf('delayPeer', peers) };
}

/** Of lossy cameras over UDP, all at once. */
async function freezes(page: Page, servers: Servers): Promise<Record<string, number>> {
  const frozenAt = async (server: WatchedServer, percent: number): Promise<number> => {
    const order = {
      ...server.orderOf(`lossy${percent}`),
      numbers: { afterMs: AFTER_MS, ms: LOSS_MS, ...CODE },
    };
    const { read, at } = await page.evaluate(picturesShown, order);
    return frozenSeconds(read, at + AFTER_MS);
  };
  const ofPercent = async (percent: number): Promise<Record<string, number>> => {
    const views = [servers.ours, ...peersOf(servers)].map((server) => frozenAt(server, percent));
    const [ours, ...peers] = await Promise.all(views);
    return {
      [`frozen${percent}`]: ours!,
      ...(peers.length > 0 && { [`more${percent}`]: ours! - Math.min(...peers) }),
    };
  };
  const all = await Promise.all(LOSSES.map(ofPercent));
  return Object.assign({}, ...all) as Record<string, number>;
}

/**
 * How long no newer picture came, where that is longer than `FREEZE_MS`. One that is shown again is not newer: its time stamp is
 * right behind the one before. The numbers in the pictures say nothing here, because what was lost may be their squares.
 */
function frozenSeconds(read: readonly ShownPicture[], startedAt: number): number {
  let [newest, at, frozen] = [(read[0]?.timestamp ?? 0) - NEWER_TICKS, startedAt, 0];
  const pause = (until: number) => {
    if (until - at > FREEZE_MS) frozen += until - at;
  };
  for (const picture of read) {
    if (((picture.timestamp - newest) | 0) < NEWER_TICKS) continue;
    pause(picture.at);
    [newest, at] = [picture.timestamp, picture.at];
  }
  pause(startedAt + LOSS_MS);
  return frozen / 1_000;
}
