import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isThere } from '../../../server/kiosk/testing/testScreen.ts';
import { memoryOf } from '../../../server/platform/processes.ts';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { Mosquitto } from '../../../server/testing/mosquitto.ts';
import type { Bench } from '../bench.ts';
import { latencies, quantile } from '../http/httpLoad.ts';
import { callsOf } from '../panelCalls.ts';
import { bundled } from '../start/bundled.ts';
import { fill, lengthenJournal, MUCH, retainTopics, SilentCameras } from './fullPanel.ts';

/** The panel beside it has one of each: what the first one makes it load is no growth. */
const ONE = { projects: 1, tokens: 1, cameras: 1 } as const;
/** More than it takes. */
const STREAMS = 300;
const LOAD = { path: '/api/remote/led/state', connections: 8, perSecond: 200, ms: 4_000 } as const;
/** Changes meanwhile, which all event streams hear. */
const CHANGE_MS = 500;
/** What is left of a start settles before memory is read, in milliseconds. */
const SETTLE_MS = 4_000;

export const growthBench: Bench = {
  name: 'growth',
  about:
    '100 projects, 64 tokens, 10 MiB of journal, 32 silent cameras, 1,000 retained topics and event streams, beside one of each',
  rows: [
    { key: 'startSmall', label: 'start to the ready line, small panel', unit: 'ms', isPeer: true },
    { key: 'startFull', label: 'the same, full panel', unit: 'ms' },
    { key: 'memorySmall', label: 'memory of the service, small panel, PSS', unit: 'MiB', isPeer: true },
    { key: 'memoryFull', label: 'the same, full panel', unit: 'MiB' },
    { key: 'p99Small', label: 'led.state at 200 a second, p99, small panel', unit: 'ms', isPeer: true },
    { key: 'p99Full', label: 'the same, full panel', unit: 'ms' },
    { key: 'streams', label: `event streams that it takes of ${STREAMS}`, unit: '' },
  ],
  ratios: [
    { label: 'start: full / small', of: 'startFull', by: 'startSmall', goal: { atMost: 1.2 } },
    { label: 'memory: full / small', of: 'memoryFull', by: 'memorySmall', goal: { atMost: 1.2 } },
    { label: 'p99: full / small', of: 'p99Full', by: 'p99Small', goal: { atMost: 1.2 } },
  ],
  async setUp() {
    await using stack = new AsyncDisposableStack();
    const program = stack.use(await bundled());
    const cameras = stack.use(new SilentCameras());
    await cameras.start();
    const hasBroker = isThere('mosquitto');
    const panelOf = async (name: string) => {
      const dataDir = await mkdtemp(join(tmpdir(), `faceplate-${name}-`));
      stack.defer(() => rm(dataDir, { recursive: true }));
      const broker = hasBroker ? await Mosquitto.start() : undefined;
      if (broker) stack.defer(() => broker.stop());
      const env = {
        ...program.env,
        FACEPLATE_LOG_LEVEL: 'silent',
        ...(broker && { FACEPLATE_MQTT_URL: broker.url, FACEPLATE_MQTT_ID: name }),
      };
      const service = () => new FaceplateProcess({ main: program.main, dataDir, env });
      return { dataDir, broker, service };
    };
    const [small, full] = [await panelOf('small'), await panelOf('full')];
    if (full.broker) await retainTopics(full.broker.url);
    for (const panel of [small, full]) {
      const service = panel.service();
      await service.start();
      await fill(service, panel === full ? MUCH : ONE, cameras.ports);
      await service.stop();
    }
    await lengthenJournal(full.dataDir);
    const ending = stack.move();
    return {
      notes: hasBroker ? [] : ['no broker: without the retained topics, as mosquitto is not installed'],
      round: () => roundOf(small.service(), full.service()),
      tearDown: () => ending.disposeAsync(),
    };
  },
};

async function roundOf(small: FaceplateProcess, full: FaceplateProcess) {
  const closed = new AbortController();
  try {
    await small.start();
    await full.start();
    const [startSmall, startFull] = await Promise.all(
      [small, full].map((service) => service.timeTo(/^faceplate ready /)),
    );
    const streams = await openStreams(full, STREAMS, closed.signal);
    await openStreams(small, 1, closed.signal);
    await sleep(SETTLE_MS);
    const [memorySmall, memoryFull] = [await memoryOf([small.pid!]), await memoryOf([full.pid!])];
    const p99 = await p99Of({ small, full });
    return {
      startSmall: startSmall!,
      startFull: startFull!,
      memorySmall: memorySmall / 2 ** 20,
      memoryFull: memoryFull / 2 ** 20,
      p99Small: p99.small,
      p99Full: p99.full,
      streams,
    };
  } finally {
    closed.abort();
    await small.stop();
    await full.stop();
  }
}

/** @returns how many the panel takes */
async function openStreams(service: FaceplateProcess, count: number, signal: AbortSignal): Promise<number> {
  const headers = { authorization: `Bearer ${await service.token()}` };
  const url = `${await service.url}/api/remote/events`;
  const open = async () => {
    const answer = await fetch(url, { headers, signal });
    if (!answer.ok) return void (await answer.arrayBuffer());
    void answer.body?.pipeTo(new WritableStream()).catch(() => {});
    return answer;
  };
  const all = await Promise.all(Array.from({ length: count }, open));
  return all.filter((answer) => answer !== undefined).length;
}

async function p99Of(services: Record<'small' | 'full', FaceplateProcess>) {
  const targets = {
    small: await targetOf(services.small),
    full: await targetOf(services.full),
  };
  await latencies(targets, { ...LOAD, ms: 1_000 });
  const calls = [callsOf(services.small), callsOf(services.full)];
  let isOver = false;
  const changing = (async () => {
    for (let blue = 0; !isOver; blue = (blue + 1) % 256) {
      await Promise.all(calls.map(({ post }) => post('remote/led/color', { red: 0, green: 0, blue })));
      await sleep(CHANGE_MS);
    }
  })();
  const times = await latencies(targets, LOAD);
  isOver = true;
  await changing;
  return { small: quantile(times.small, 0.99), full: quantile(times.full, 0.99) };
}

async function targetOf(service: FaceplateProcess) {
  return { port: Number(new URL(await service.url).port), token: await service.token() };
}
