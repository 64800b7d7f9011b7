import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';
import simulated from '../../server/parts/boards/simulated.json' with { type: 'json' };
import { GpioService } from '../../server/parts/gpio/service.ts';
import { SimulatedGpio } from '../../server/parts/gpio/simulated.ts';
import { EventBus } from '../../server/platform/eventBus.ts';
import { silentLogger } from '../../server/platform/log.ts';
import { storedText } from '../../server/platform/storedValue.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { freeTcpPort } from '../../server/testing/freePort.ts';
import { median } from './bench.ts';
import { callsOf } from './panelCalls.ts';
import { cpuOf } from './processCpu.ts';

const EDGES = 200;
const PULSES = 20;
const PULSE_MS = 50;
/** Seconds without the page until the outputs are made safe. */
const AFTER_S = 1;
const ECHO_MS = 10_000;
const ECHOES_A_SECOND = 16;
const ECHO_BYTES = 64 * 1024;

/** All of it simulated: else the panel itself is no device that its page may reach. */
const BOARD = { ...simulated, gpio: { ...simulated.gpio, safe: { 2: 0 }, safeAfterPageLost: AFTER_S } };

/** What the page has; the types of the page's own world are not loaded here. */
interface PageWorld {
  container: {
    call(command: string, params: object): Promise<{ id: string }>;
    on(event: string, listener: (payload: { pin?: number; hex?: string }) => void): void;
    off(event: string, listener: (payload: { pin?: number; hex?: string }) => void): void;
    gpioBridge: { postMessage(json: string): Promise<unknown> };
  };
}

/** A panel with a page, for what its pins and its page have to do with each other. */
export async function openPanel() {
  const folder = mkdtempSync(join(tmpdir(), 'faceplate-bench-outputs-'));
  const board = join(folder, 'board.json');
  writeFileSync(board, JSON.stringify(BOARD));
  const env = { FACEPLATE_LOG_LEVEL: 'silent' };
  const service = new FaceplateProcess({ kiosk: true, args: ['--board', board], env });
  await service.start();
  const { get, post } = callsOf(service);
  const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
  const page = browser.contexts()[0]!.pages()[0]!;
  const home = page.url();
  const isShown = async () => {
    const { state } = (await (await get('remote/page')).json()) as { state: string };
    return state === 'shown';
  };
  const relay = async () => {
    const { pins } = (await (await get('remote/gpio')).json()) as { pins: { level: number }[] };
    return pins[2]!.level;
  };
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await passed(5);
    return performance.now();
  };
  return {
    /** @returns milliseconds from the page's call that moves a wire to the event in the page, median */
    edge: async () => median(await page.evaluate(timeEdges, EDGES)),
    /** @returns how much later than it must the relay is off when the page is lost, in milliseconds */
    async safeAfterLoss(): Promise<number> {
      await until(isShown);
      await post('remote/gpio/write', { pin: 2, level: 1 });
      await post('remote/page/show', { url: `http://127.0.0.1:${await freeTcpPort()}/` });
      const lost = await until(async () => !(await isShown()));
      const safe = await until(async () => (await relay()) === 0);
      await post('remote/page/show', { url: home });
      await until(isShown);
      return Math.max(0, safe - lost - AFTER_S * 1_000);
    },
    /** @returns share of one core that the service uses more while the page sends 1 MiB/s to a device that echoes */
    async echo(): Promise<number> {
      const device = createServer((socket) => socket.on('error', () => {}).pipe(socket));
      await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
      const { port } = device.address() as { port: number };
      // The demo page plays a camera.
      const before = await cpuOf(service.pid!, ECHO_MS);
      const job = { port, bytes: ECHO_BYTES, everyMs: 1_000 / ECHOES_A_SECOND, forMs: ECHO_MS + 1_000 };
      const echoes = page.evaluate(echo, job);
      await passed(500);
      const cpu = await cpuOf(service.pid!, ECHO_MS);
      const bytes = await echoes;
      device.close();
      const rate = bytes / ((ECHO_MS + 1_000) / 1_000);
      if (rate < 0.9 * 1024 * 1024) throw new Error(`The device echoed only ${Math.round(rate)} bytes/s.`);
      return Math.max(0, cpu - before);
    },
    async close(): Promise<void> {
      await browser.close();
      await service.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Runs in the page. @returns milliseconds, for each edge */
async function timeEdges(edges: number): Promise<number[]> {
  const { container } = globalThis as unknown as PageWorld;
  const times: number[] = [];
  let heard: () => void = () => {};
  const onEdge = ({ pin }: { pin?: number }) => pin === 0 && heard();
  container.on('gpio', onEdge);
  for (let edge = 0; edge < edges; edge++) {
    const event = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const started = performance.now();
    const call = JSON.stringify({ action: 'simulate', part: 'gpio', pin: 0, level: (edge + 1) % 2 });
    void container.gpioBridge.postMessage(call);
    await event;
    times.push(performance.now() - started);
    // At most 100 changes a second are announced.
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  container.off('gpio', onEdge);
  return times;
}

/** Runs in the page. @returns bytes that came back */
async function echo(job: { port: number; bytes: number; everyMs: number; forMs: number }): Promise<number> {
  const { container } = globalThis as unknown as PageWorld;
  const chunk = 'A5'.repeat(job.bytes);
  let bytes = 0;
  const onData = ({ hex = '' }) => {
    bytes += hex.length / 2;
  };
  container.on('tcp', onData);
  const { id } = await container.call('tcp.open', { host: '127.0.0.1', port: job.port });
  const started = performance.now();
  for (let sent = 1; performance.now() - started < job.forMs; sent++) {
    await container.call('tcp.send', { id, hex: chunk });
    const next = started + sent * job.everyMs - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next)));
  }
  await container.call('tcp.close', { id });
  container.off('tcp', onData);
  return bytes;
}

/** Pulses of the service beside bare timers. @returns how much longer than asked they were, in milliseconds */
export async function pulseErrors(): Promise<{ pulse: number; bare: number; shortest: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'faceplate-bench-pulse-'));
  const pins = new SimulatedGpio();
  const write = pins.write.bind(pins);
  let moved: (level: number) => void = () => {};
  pins.write = async (pin, level) => {
    await write(pin, level);
    moved(level);
  };
  const log = silentLogger();
  const gpio = new GpioService({ driver: pins, dataDir: folder, events: new EventBus(log), log });
  await gpio.start();
  const { signal } = new AbortController();
  const pulses: number[] = [];
  const timers: number[] = [];
  for (let pulse = 0; pulse < PULSES; pulse++) {
    const ended = Promise.withResolvers<number>();
    let on = 0;
    moved = (level) => {
      if (level === 1) on = performance.now();
      else ended.resolve(performance.now() - on);
    };
    await gpio.pulse({ pin: 2, level: 1, ms: PULSE_MS }, { signal });
    pulses.push((await ended.promise) - PULSE_MS);
    const started = performance.now();
    await passed(PULSE_MS);
    timers.push(performance.now() - started - PULSE_MS);
  }
  await gpio.stop();
  rmSync(folder, { recursive: true });
  return { pulse: median(pulses), bare: median(timers), shortest: Math.min(...pulses) };
}

const ROOT = join(import.meta.dirname, '../..');
/** As a panel has it, after `npm run build`. */
const BUNDLED = join(ROOT, 'dist/safeStop/main.js');
/** What the figure of the program after a kill stands for. */
export const safeStopNote = existsSync(BUNDLED)
  ? undefined
  : 'program after a kill: from its sources; after `npm run build` as a panel has it';

/** @returns milliseconds that the program after a kill takes, from its start to its end */
export async function safeStopTime(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'faceplate-bench-safe-'));
  const wiring = { driver: 'gpio_control', path: join(folder, 'no-such-node') } as const;
  const value = { wiring, rest: [{ pin: 2, level: 0 }], pulses: [] };
  writeFileSync(join(folder, 'outputs.json'), storedText({ version: 1, latest: 1, value, beside: {} }));
  const main = safeStopNote === undefined ? BUNDLED : join(ROOT, 'server/programs/safeStop/main.ts');
  const started = performance.now();
  const env = { ...process.env, FACEPLATE_DATA_DIR: folder };
  await promisify(execFile)(process.execPath, [main], { env }).catch(() => undefined);
  const took = performance.now() - started;
  rmSync(folder, { recursive: true });
  return took;
}
