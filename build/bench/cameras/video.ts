import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from '@playwright/test';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { WeriftViewer } from '../../../server/video/testing/weriftViewer.ts';
import { type Bench, median } from '../bench.ts';
import { cpuOf } from '../processCpu.ts';
import { cameraOfHosts } from './cameraOfHosts.ts';
import { type CameraRelay, relayedCamera } from './cameraRelay.ts';
import { type OtherServer, timeToFirstFrame } from './firstFrame.ts';
import { go2rtc, MediaProxy, mediaMtx } from './mediaProxy.ts';

const VIEWERS = 8;
const TRIES = 10;
/** Wait before the CPU is measured: in the first seconds of eight viewers the JavaScript compiler dominates. */
const SETTLE_MS = 6_000;
/** The kernel tells the CPU in steps of 10 ms. */
const CPU_MS = 16_000;
const LOOP_MS = 8_000;
/** Length of a GOP of the clip, in milliseconds: tries begin anywhere in it. */
const GROUP_MS = 2_000;

export const videoBench: Bench = {
  name: 'video',
  about: `a 1080p camera of 4 Mbit/s, key frames every 2 s: first picture in Chromium, and ${VIEWERS} viewers of it`,
  isLong: true,
  rows: [
    { key: 'cold', label: 'POST to first frame, camera not connected', unit: 'ms' },
    {
      key: 'afterKeyFrame',
      label: `the camera's first key frame to first frame`,
      unit: 'ms',
      goal: { atMost: 100 },
    },
    {
      key: 'warm',
      label: `POST to first frame, connected (${TRIES} tries)`,
      unit: 'ms',
      goal: { atMost: 40 },
    },
    { key: 'standIn', label: 'the same from a stand-in with nothing to do', unit: 'ms', isPeer: true },
    {
      key: 'cpu',
      label: `CPU of the service, ${VIEWERS} viewers`,
      unit: '%',
      goal: { atMost: 8 },
    },
    { key: 'werift', label: `CPU of werift's RTCPeerConnection, same viewers`, unit: '%', isPeer: true },
    { key: 'go2rtcWarm', label: 'POST to first frame, go2rtc, connected', unit: 'ms', isPeer: true },
    { key: 'go2rtc', label: 'CPU of go2rtc, same viewers', unit: '%', isPeer: true },
    { key: 'mediaMtx', label: 'CPU of MediaMTX, same viewers', unit: '%', isPeer: true },
    { key: 'loop', label: 'event-loop delay during this, p99', unit: 'ms', goal: { atMost: 5 } },
    { key: 'idle', label: 'the same in a process that does nothing', unit: 'ms', isPeer: true },
    { key: 'memory', label: 'memory per session', unit: 'MB', goal: { atMost: 6 } },
    {
      key: 'chromiumCamera',
      label: 'CPU of all processes, demo page with its camera, Chromium host',
      unit: '%',
    },
    { key: 'electronCamera', label: 'the same, Electron host', unit: '%' },
  ],
  ratios: [
    { label: 'CPU of the service / werift', of: 'cpu', by: 'werift', goal: { atMost: 0.5 } },
    { label: 'first frame of go2rtc / of the service', of: 'go2rtcWarm', by: 'warm', goal: { atLeast: 5 } },
    { label: 'first frame / from the stand-in', of: 'warm', by: 'standIn', goal: { atMost: 1.2 } },
    { label: 'CPU of the service / go2rtc', of: 'cpu', by: 'go2rtc', goal: { atMost: 0.45 } },
    { label: 'CPU of the service / MediaMTX', of: 'cpu', by: 'mediaMtx', goal: { atMost: 0.6 } },
    {
      label: 'CPU with camera: Electron host / Chromium host',
      of: 'electronCamera',
      by: 'chromiumCamera',
      goal: { atMost: 1.1 },
    },
  ],
  async setUp() {
    const camera = await relayedCamera();
    const { relay, url } = camera;
    const service = new FaceplateProcess({
      kiosk: true,
      env: {
        FACEPLATE_LOG_LEVEL: 'silent',
        // A board without a camera, which the demo would otherwise play.
        FACEPLATE_BOARD: 'generic-linux',
        FACEPLATE_STREAMS_LINGER_SECONDS: '4',
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'loopProbe.mjs')}`,
      },
    });
    await service.start();
    const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
    const page = browser.contexts()[0]!.pages()[0]!;
    // The panel's page may not call other servers; without this it could not be the viewer of all.
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Page.setBypassCSP', { enabled: true });
    await page.reload();
    const standIn = fork(join(import.meta.dirname, 'standIn.ts'), [url]);
    const [endpoint] = (await once(standIn, 'message')) as [string];
    // A type that the browser asks no leave for.
    const standInServer = { endpoint, type: 'text/plain' };
    const hosts = await cameraOfHosts();
    const notes: string[] = [...hosts.notes];
    const leftOut = (error: Error) => void notes.push(error.message);
    const go2rtcProgram = await go2rtc.build().catch(leftOut);
    const mediaMtxProgram = await mediaMtx.build().catch(leftOut);
    return {
      notes,
      round: async () => ({
        ...(await firstFrames(page, url, relay, standInServer)),
        ...(await loadOfService(service, url)),
        werift: await loadOfWerift(url),
        ...(go2rtcProgram && (await roundOfGo2rtc(new MediaProxy(go2rtc, go2rtcProgram), page, url))),
        ...(mediaMtxProgram && {
          mediaMtx: await loadOfMediaMtx(new MediaProxy(mediaMtx, mediaMtxProgram), url),
        }),
        ...(await hosts.round()),
      }),
      tearDown: async () => {
        standIn.kill('SIGKILL');
        await browser.close();
        await service.stop();
        await camera.stop();
        await hosts[Symbol.asyncDispose]();
      },
    };
  },
};

async function firstFrames(
  page: Page,
  url: string,
  relay: CameraRelay,
  standIn: OtherServer,
): Promise<{ cold: number; afterKeyFrame: number; warm: number; standIn: number }> {
  // Wait until the last connection no longer lingers.
  await sleep(5_000);
  relay.firstMediaAt = undefined;
  const cold = await page.evaluate(timeToFirstFrame, { url });
  const afterKeyFrame = cold.at - (relay.firstMediaAt ?? Number.NaN);
  // The first one connects the stand-in to the camera.
  await page.evaluate(timeToFirstFrame, { other: standIn });
  const warm: number[] = [];
  const bare: number[] = [];
  for (let i = 0; i < TRIES; i++) {
    await sleep(Math.random() * GROUP_MS);
    warm.push((await page.evaluate(timeToFirstFrame, { url })).ms);
    await sleep(Math.random() * GROUP_MS);
    bare.push((await page.evaluate(timeToFirstFrame, { other: standIn })).ms);
  }
  return { cold: cold.ms, afterKeyFrame, warm: median(warm), standIn: median(bare) };
}

async function loadOfService(
  service: FaceplateProcess,
  url: string,
): Promise<{ cpu: number; loop: number; idle: number; memory: number }> {
  const pid = service.pid!;
  const base = `${await service.url}/api/stream/whep`;
  const before = memoryOf(pid);
  const viewers = await watch(async (sdp, index) => {
    const response = await fetch(`${base}/viewer${index}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url, sdp }),
    });
    if (!response.ok) throw new Error(await response.text());
    return ((await response.json()) as { sdp: string }).sdp;
  });
  const cpu = await cpuOf(pid, CPU_MS);
  const [loop, idle] = await Promise.all([loopDelay(service), idleLoopDelay()]);
  const memory = (memoryOf(pid) - before) / VIEWERS;
  for (let i = 0; i < VIEWERS; i++) await fetch(`${base}/viewer${i}`, { method: 'DELETE' });
  await Promise.all(viewers.map((viewer) => viewer.close()));
  return { cpu, loop, idle, memory };
}

/** What the machine itself adds to the delay: the same measurement in an idle process. */
async function idleLoopDelay(): Promise<number> {
  const tell = `process.kill(process.pid, 'SIGUSR2')`;
  const script = `${tell}; setTimeout(() => { ${tell}; setTimeout(() => {}, 200); }, ${LOOP_MS})`;
  const args = [`--import=${join(import.meta.dirname, 'loopProbe.mjs')}`, '-e', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child, 'close');
  return Number(/^loop delay p99 (\S+)/m.exec(output)?.[1]);
}

let probes = 0;

/** Apart from the CPU: the probe costs the service half a percent of a core, and the other servers have none. */
async function loopDelay(service: FaceplateProcess): Promise<number> {
  process.kill(service.pid!, 'SIGUSR2');
  await sleep(LOOP_MS);
  process.kill(service.pid!, 'SIGUSR2');
  probes++;
  for (;;) {
    const found = [...service.output.matchAll(/^loop delay p99 (\S+)/gm)];
    if (found.length >= probes) return Number(found.at(-1)![1]);
    await sleep(20);
  }
}

async function loadOfWerift(url: string): Promise<number> {
  const child = fork(join(import.meta.dirname, 'weriftProxy.ts'), [url]);
  await once(child, 'message');
  const viewers = await watch((sdp) => ask(child, sdp));
  const cpu = await cpuOf(child.pid!, CPU_MS);
  child.kill('SIGKILL');
  await Promise.all([once(child, 'exit'), ...viewers.map((viewer) => viewer.close())]);
  return cpu;
}

/** It drops a camera without viewers, so one viewer stays while pictures are timed. */
async function roundOfGo2rtc(
  proxy: MediaProxy,
  page: Page,
  url: string,
): Promise<{ go2rtc: number; go2rtcWarm: number }> {
  try {
    await proxy.start({ bench: url });
    const viewers = await watchBy(proxy);
    const cpu = await cpuOf(proxy.pid, CPU_MS);
    const [first, ...others] = viewers;
    await Promise.all(others.map((viewer) => viewer.close()));
    const other = { endpoint: proxy.endpoint('bench'), type: 'application/sdp' };
    const warm: number[] = [];
    for (let i = 0; i < TRIES; i++) {
      await sleep(Math.random() * GROUP_MS);
      warm.push((await page.evaluate(timeToFirstFrame, { other })).ms);
    }
    await first!.close();
    return { go2rtc: cpu, go2rtcWarm: median(warm) };
  } finally {
    await proxy.stop();
  }
}

async function loadOfMediaMtx(proxy: MediaProxy, url: string): Promise<number> {
  try {
    await proxy.start({ bench: url });
    const viewers = await watchBy(proxy);
    const cpu = await cpuOf(proxy.pid, CPU_MS);
    await Promise.all(viewers.map((viewer) => viewer.close()));
    return cpu;
  } finally {
    await proxy.stop();
  }
}

/** Viewers of another server, by WHEP. */
async function watchBy(proxy: MediaProxy): Promise<WeriftViewer[]> {
  return watch(async (body) => {
    const headers = { 'content-type': 'application/sdp' };
    const response = await fetch(proxy.endpoint('bench'), { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
    return response.text();
  });
}

async function ask(child: ChildProcess, sdp: string): Promise<string> {
  child.send(sdp);
  const [answer] = (await once(child, 'message')) as [string];
  return answer;
}

/** Connects viewers that decode nothing; resolves when they have received video for some seconds. */
async function watch(answerOf: (sdp: string, index: number) => Promise<string>): Promise<WeriftViewer[]> {
  const viewers: WeriftViewer[] = [];
  for (let i = 0; i < VIEWERS; i++) {
    const viewer = new WeriftViewer(false);
    viewers.push(viewer);
    await viewer.accept(await answerOf(await viewer.offer(), i));
  }
  const deadline = performance.now() + 60_000;
  while (viewers.some(({ received }) => received.video.length < 100)) {
    if (performance.now() > deadline) {
      const states = viewers.map(({ state, received }) => `${state} ${received.video.length}`);
      throw new Error(`a viewer receives no video (${states.join(', ')})`);
    }
    await sleep(50);
  }
  // Processing it would only take CPU from what is measured.
  for (const viewer of viewers) viewer.ignoreMedia();
  await sleep(SETTLE_MS);
  return viewers;
}

/** Resident memory in MB. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
