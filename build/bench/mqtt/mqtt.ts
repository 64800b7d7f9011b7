import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { Mosquitto } from '../../../server/testing/mosquitto.ts';
import { type Bench, median } from '../bench.ts';
import { callsOf } from '../panelCalls.ts';
import { MqttCaller } from './mqttCaller.ts';

/** Calls in turns; the first of them only compile the code of both. */
const CALLS = 1_000;
const RUN_UP_CALLS = 500;
const CHANGES = 11;
const BURST = 10_000;
/** What is left of a start settles before memory is read, in milliseconds. */
const SETTLE_MS = 3_000;

export const mqttBench: Bench = {
  name: 'mqtt',
  about: 'the panel on a mosquitto with set_tcp_nodelay, beside a bare MQTT.js responder there, in turns',
  rows: [
    { key: 'bare', label: 'command to answer, bare responder', unit: 'ms', isPeer: true },
    { key: 'panel', label: 'command to answer, panel', unit: 'ms' },
    { key: 'state', label: 'HTTP change to state on the broker', unit: 'ms', goal: { atMost: 20 } },
    { key: 'burst', label: '10,000 commands at once, all answered', unit: 's' },
    { key: 'healthz', label: '/healthz meanwhile, p99', unit: 'ms', goal: { atMost: 200 } },
    { key: 'grown', label: 'RSS grown by the burst', unit: 'MiB', goal: { atMost: 30 } },
    { key: 'more', label: 'PSS with a broker, more than without', unit: 'MiB', goal: { atMost: 10 } },
    { key: 'back', label: 'start of the service to online', unit: 's', goal: { atMost: 3 } },
  ],
  ratios: [{ label: 'panel / bare responder', of: 'panel', by: 'bare', goal: { atMost: 1.5 } }],
  async setUp() {
    const broker = await Mosquitto.start({ conf: ['set_tcp_nodelay true', 'max_queued_messages 0'] });
    const caller = await MqttCaller.connect(broker.url);
    const bare = await bareResponder(broker.url);
    return {
      async round() {
        const alone = await memoryOf({});
        const service = new FaceplateProcess({
          env: { FACEPLATE_MQTT_URL: broker.url, FACEPLATE_MQTT_ID: 'bench' },
        });
        const online = caller.until('faceplate/bench/availability', (payload) => payload === 'online');
        const startedAt = performance.now();
        await service.start();
        await online;
        const back = (performance.now() - startedAt) / 1_000;
        try {
          await sleep(SETTLE_MS);
          const more = kibOf(service, 'smaps_rollup', 'Pss') - alone;
          const calls = await inTurns(caller);
          const state = await changesOf(service, caller);
          return { back, more: more / 1_024, ...calls, state, ...(await burst(service, caller)) };
        } finally {
          await service.stop();
        }
      },
      async tearDown() {
        bare.kill();
        await caller.end();
        await broker.stop();
      },
    };
  },
};

async function bareResponder(url: string): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'bareResponder.mjs'), [url, 'bare/command']);
  await once(child, 'message');
  return child;
}

/** PSS of a service with these settings at rest, in KiB. */
async function memoryOf(env: Record<string, string>): Promise<number> {
  const service = new FaceplateProcess({ env });
  await service.start();
  try {
    await sleep(SETTLE_MS);
    return kibOf(service, 'smaps_rollup', 'Pss');
  } finally {
    await service.stop();
  }
}

/** A line of a file in /proc, in KiB. */
function kibOf(service: FaceplateProcess, file: 'smaps_rollup' | 'status', name: string): number {
  const text = readFileSync(`/proc/${service.pid}/${file}`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]);
}

async function inTurns(caller: MqttCaller): Promise<{ bare: number; panel: number }> {
  // A command that reads: one that changes something waits for the disk.
  const topics = { bare: 'bare/command', panel: 'faceplate/bench/command/led.state' } as const;
  const times: Record<keyof typeof topics, number[]> = { bare: [], panel: [] };
  for (let n = 0; n < CALLS; n++)
    for (const who of ['bare', 'panel'] as const) {
      const startedAt = performance.now();
      await caller.call(topics[who], {});
      times[who].push(performance.now() - startedAt);
    }
  return { bare: median(times.bare.slice(RUN_UP_CALLS)), panel: median(times.panel.slice(RUN_UP_CALLS)) };
}

/** Milliseconds from an HTTP call to the state on the broker. */
async function changesOf(service: FaceplateProcess, caller: MqttCaller): Promise<number> {
  const { post } = callsOf(service);
  const times: number[] = [];
  for (let n = 0; n < CHANGES; n++) {
    const changed = caller.until(
      'faceplate/bench/state/led',
      (payload) => JSON.parse(payload).blue === n + 1,
    );
    const startedAt = performance.now();
    await post('remote/led/color', { red: 0, green: 0, blue: n + 1 });
    await changed;
    times.push(performance.now() - startedAt);
    // A part is sent ten times a second at most.
    await sleep(150);
  }
  return median(times);
}

async function burst(service: FaceplateProcess, caller: MqttCaller) {
  const before = kibOf(service, 'status', 'VmRSS');
  const healthz: number[] = [];
  let isOver = false;
  const url = `${await service.url}/healthz`;
  const watching = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await (await fetch(url)).arrayBuffer();
      healthz.push(performance.now() - startedAt);
      await sleep(5);
    }
  })();
  const startedAt = performance.now();
  const command = 'faceplate/bench/command/led.state';
  await Promise.all(Array.from({ length: BURST }, () => caller.call(command, {})));
  const seconds = (performance.now() - startedAt) / 1_000;
  isOver = true;
  await watching;
  await sleep(SETTLE_MS);
  const p99 = healthz.sort((a, b) => a - b)[Math.floor(healthz.length * 0.99)] ?? 0;
  return { burst: seconds, healthz: p99, grown: (kibOf(service, 'status', 'VmRSS') - before) / 1_024 };
}
