import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { Mosquitto } from '../../../server/testing/mosquitto.ts';
import { until } from '../../../server/testing/waiting.ts';
import type { Bench } from '../bench.ts';
import { cpuOf } from '../processCpu.ts';
import type { Kept, ToCopies } from './panelCopies.ts';

const PANELS = 1_000;
const PROCESSES = 4;
/** How long the states go on before and while they are measured, in milliseconds. */
const RUN_UP_MS = 1_000;
const MEASURED_MS = 4_000;
/** The panel that is copied; a word that is nowhere else in its messages. */
const ORIGINAL = 'original1';

export const brokerBench: Bench = {
  name: 'broker',
  about: `what ${PANELS.toLocaleString('en')} panels cost their mosquitto, each with a connection of its own`,
  rows: [
    { key: 'announced', label: 'discovery and states of all on the broker', unit: 's', goal: { atMost: 10 } },
    { key: 'states', label: 'states that somebody hears who hears all', unit: '/s' },
    { key: 'broker', label: 'CPU of the broker meanwhile, of a core', unit: '%', goal: { atMost: 10 } },
  ],
  ratios: [],
  setUp: async () => ({ round: thousandPanels, tearDown: async () => {} }),
};

/** Copies of a real panel on a mosquitto of their own, each with its connection; four processes have them. */
async function thousandPanels() {
  const broker = await Mosquitto.start();
  const children: ChildProcess[] = [];
  const listener = await connectAsync(broker.url, {
    protocolVersion: 5,
    properties: { receiveMaximum: 65_535 },
  });
  try {
    const kept = await original(broker.url, listener);
    let online = 0;
    let states = 0;
    listener.on('message', (topic, payload) => {
      if (topic.endsWith('/availability') && payload.toString() === 'online') online++;
      else if (topic.endsWith('/state/led')) states++;
    });
    for (let at = 0; at < PROCESSES; at++) {
      const from = (at * PANELS) / PROCESSES;
      const args = [broker.url, String(from), String(PANELS / PROCESSES), 'state/led'];
      const child = fork(join(import.meta.dirname, 'panelCopies.ts'), args);
      children.push(child);
      await once(child, 'message');
    }
    const tell = (message: ToCopies) => {
      for (const child of children) child.send(message);
    };
    await listener.subscribeAsync('faceplate/+/availability', { qos: 1 });
    const before = online;
    const startedAt = performance.now();
    tell({ id: ORIGINAL, kept });
    await until(() => online - before >= PANELS, 'the panels', { limitMs: 120_000 });
    const announced = (performance.now() - startedAt) / 1_000;
    const there = Object.keys(await retained(broker.url)).length;
    if (there < PANELS * kept.length) throw new Error(`The broker keeps ${there} messages only.`);
    await listener.subscribeAsync('faceplate/+/state/led', { qos: 1 });
    tell('go');
    await sleep(RUN_UP_MS);
    const [first, since] = [states, performance.now()];
    const share = await cpuOf(broker.pid, MEASURED_MS);
    const seconds = (performance.now() - since) / 1_000;
    return { announced, states: (states - first) / seconds, broker: share };
  } finally {
    for (const child of children) {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    }
    await listener.endAsync(true);
    await broker.stop();
  }
}

/** What a real panel with the simulated board keeps on the broker, availability apart. */
async function original(url: string, listener: MqttClient): Promise<Kept> {
  const service = new FaceplateProcess({
    env: { FACEPLATE_BOARD: 'simulated', FACEPLATE_MQTT_URL: url, FACEPLATE_MQTT_ID: ORIGINAL },
  });
  const topic = `faceplate/${ORIGINAL}/availability`;
  const online = new Promise<void>((resolve) => {
    listener.on('message', (at, payload) => at === topic && payload.toString() === 'online' && resolve());
  });
  await listener.subscribeAsync(topic, { qos: 1 });
  await service.start();
  try {
    await online;
    const all = Object.entries(await retained(url));
    // As the panel says them: Home Assistant's message first.
    const isDiscovery = ([at]: readonly [string, string]) => at.startsWith('homeassistant/');
    return [...all.filter(isDiscovery), ...all.filter((entry) => !isDiscovery(entry) && entry[0] !== topic)];
  } finally {
    await service.stop();
    await listener.unsubscribeAsync(topic);
  }
}

/** What a broker keeps, by topic. */
async function retained(url: string): Promise<Record<string, string>> {
  const client = await connectAsync(url, { protocolVersion: 5, properties: { receiveMaximum: 65_535 } });
  const found: Record<string, string> = {};
  let isOver = false;
  client.on('message', (topic, payload, { retain }) => {
    if (topic === 'bench/end') isOver = true;
    else if (retain) found[topic] = payload.toString();
  });
  await client.subscribeAsync(['#', 'bench/end'], { qos: 1 });
  // Comes after what is retained: the broker keeps the order of a client.
  await client.publishAsync('bench/end', '', { qos: 1 });
  await until(() => isOver, 'the end of what is retained', { limitMs: 60_000 });
  await client.endAsync(true);
  return found;
}
