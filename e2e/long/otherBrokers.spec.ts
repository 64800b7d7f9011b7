import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Listener } from '../../server/surfaces/mqtt/testing/listener.ts';
import { OldBroker } from '../../server/surfaces/mqtt/testing/oldBroker.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { type Api, apiOf } from '../api.ts';
import { ErlangBroker, ejabberd, noErlangBroker, type RecipeOf, rabbitMq } from '../peers/erlangBroker.ts';

const CONFIG = 'homeassistant/device/faceplate_hall/config';
const SLOW = { timeout: 60_000, intervals: [200] };
const USER = 'house';
const PASSWORD = 'right';

/** A broker of another make than mosquitto. */
interface Make {
  readonly recipe: RecipeOf;
  /** 4 is MQTT 3.1.1. */
  readonly version: 4 | 5;
  /** Whether something in front of it has to refuse MQTT 5, because it speaks both. */
  readonly isMadeOld?: boolean;
}

/** A house with such a broker, a panel `hall` and somebody who listens. */
class BrokerHouse {
  readonly broker: ErlangBroker;
  readonly #version: 4 | 5;
  readonly #old: OldBroker | undefined;
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'faceplate-house-'));
  #service: FaceplateProcess | undefined;
  #api: Api | undefined;
  #listener: Listener | undefined;

  private constructor(broker: ErlangBroker, version: 4 | 5, old: OldBroker | undefined) {
    this.broker = broker;
    this.#version = version;
    this.#old = old;
    chmodSync(this.#dataDir, 0o711);
  }

  static async open({ recipe, version, isMadeOld = false }: Make): Promise<BrokerHouse> {
    const broker = await ErlangBroker.start(recipe, { [USER]: PASSWORD });
    const house = new BrokerHouse(broker, version, isMadeOld ? await OldBroker.open(broker.port) : undefined);
    await house.startPanel();
    await house.listen();
    return house;
  }

  get api(): Api {
    return this.#api!;
  }

  /** Who listens; of the last `listen`. */
  get listener(): Listener {
    return this.#listener!;
  }

  /** What the panel printed. */
  get output(): string {
    return this.#service?.output ?? '';
  }

  async startPanel(): Promise<void> {
    this.#service = new FaceplateProcess({ dataDir: this.#dataDir, env: { FACEPLATE_BOARD: 'simulated' } });
    await this.#service.start();
    this.#api = await apiOf(this.#service);
  }

  async stopPanel(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#service?.stop(signal);
  }

  /** Gives the panel the broker's address, and a password. */
  async setBroker(password = PASSWORD): Promise<void> {
    const url = this.#old?.url ?? this.broker.url;
    const mqtt = { url, id: 'hall', username: USER, password };
    await this.api('/api/manage/settings', { mqtt }, { method: 'PATCH' });
  }

  /** A new connection of who listens: the old one ends with the broker. */
  async listen(): Promise<void> {
    await this.#listener?.stop();
    const url = this.broker.url.replace('//', `//${USER}:${PASSWORD}@`);
    this.#listener = await Listener.start(url, this.#version);
  }

  /** What the broker keeps at a topic; of one topic, for RabbitMQ finds nothing by a filter. */
  async kept(topic: string): Promise<string> {
    return (await this.listener.retained(topic))[topic] ?? '';
  }

  /** `info.mqtt` */
  async facts(): Promise<Record<string, unknown>> {
    return (await this.api('/api/remote/info')).body.mqtt as Record<string, unknown>;
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    await this.#listener?.stop().catch(() => {});
    await this.#old?.stop();
    await this.broker.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

interface Row extends Make {
  readonly name: string;
  readonly missing: string | false;
  /** It takes the dots in a topic for slashes, so the names of commands do not come through. */
  readonly breaksDots?: boolean;
}

const noEjabberd = noErlangBroker('ejabberd');
const ROWS: readonly Row[] = [
  { name: 'ejabberd, MQTT 5', missing: noEjabberd, recipe: ejabberd, version: 5 },
  { name: 'ejabberd, MQTT 3.1.1', missing: noEjabberd, recipe: ejabberd, version: 4, isMadeOld: true },
  {
    name: 'RabbitMQ, MQTT 3.1.1',
    missing: noErlangBroker('rabbitmq-server'),
    recipe: rabbitMq,
    version: 4,
    breaksDots: true,
  },
];

for (const row of ROWS)
  test.describe(row.name, () => {
    // One house through its days.
    test.describe.configure({ mode: 'serial' });
    test.skip(row.missing !== false, String(row.missing));
    let house: BrokerHouse;

    test.beforeAll(async () => {
      house = await BrokerHouse.open(row);
    });
    test.afterAll(async () => {
      await house?.stop();
    });
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    test.afterEach(async ({}, testInfo) => {
      if (testInfo.status !== testInfo.expectedStatus && house !== undefined)
        process.stderr.write(`${house.broker.output.slice(-4_000)}\n\n${house.output.slice(-4_000)}\n`);
    });

    const stands = (topic: string, wanted: RegExp) =>
      expect.poll(() => house.kept(`faceplate/hall/${topic}`), SLOW).toMatch(wanted);
    const color = (red: number) => house.api('/api/remote/led/color', { red, green: 0, blue: 0 });

    test('should say that the password is wrong, and connect with the right one', async () => {
      await house.setBroker('wrong');
      await expect.poll(async () => (await house.facts()).reason, SLOW).toBe('wrong user or password');
      await house.listener.hear('#');
      await house.setBroker();
      await stands('availability', /^online$/);
      expect(await house.facts()).toMatchObject({ state: 'connected', reason: null });
      const topics = house.listener.received.map(({ topic }) => topic);
      // Home Assistant is told first, then the states; only then is the panel there.
      const order = [CONFIG, 'faceplate/hall/state/led', 'faceplate/hall/availability'];
      const places = order.map((topic) => topics.indexOf(topic));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places[0]).toBeGreaterThanOrEqual(0);
      // What overlaps comes twice from some brokers: from here on each test hears what it needs.
      await house.listen();
    });

    test('should keep its states there, and tell a change', async () => {
      await color(7);
      await stands('state/led', /"red":7/);
      await stands('state/info', /"id":"hall"/);
      await house.listener.hear('faceplate/hall/event/+');
      await house.api('/api/remote/simulate', { part: 'gpio', pin: 0, level: 1 });
      const { text, packet } = await house.listener.next('faceplate/hall/event/input');
      expect(JSON.parse(text)).toEqual({ pin: 0, level: 1 });
      expect(packet.retain).toBe(false);
    });

    test('should answer commands', async () => {
      test.skip(row.breaksDots === true, 'the dot in the name of a command becomes a slash here');
      const { listener } = house;
      const command = 'faceplate/hall/command/led.color';
      if (row.version === 5) {
        await listener.hear('answers/+');
        const ask = { responseTopic: 'answers/1', correlation: 'a' };
        await listener.publish(command, '{"red":8,"green":0,"blue":0}', ask);
        const { text, packet } = await listener.next('answers/1');
        expect(JSON.parse(text).status).toBe('ok');
        expect(packet.properties?.correlationData?.toString()).toBe('a');
        expect(packet.properties?.userProperties?.panel).toBe('hall');
        // The same once more is a repeat.
        await listener.publish(command, '{"red":8,"green":0,"blue":0}', ask);
      }
      await listener.hear('faceplate/hall/result/+');
      await listener.publish(command, '{"red":9}');
      const { text } = await listener.next('faceplate/hall/result/led.color');
      expect(JSON.parse(text).code).toBe('INVALID_REQUEST');
      expect(listener.received.filter(({ topic }) => topic !== command)).toEqual([]);
      // One that the broker keeps is not carried out when the panel comes.
      await listener.publish(command, '{"red":99,"green":0,"blue":0}', { retain: true });
      await stands('state/led', /"red":99/);
      await color(7);
    });

    test('should do what Home Assistant sets, and announce itself when that starts', async () => {
      const { components } = JSON.parse(await house.kept(CONFIG));
      expect(components.relay1.command_topic).toBe('faceplate/hall/set/relay1');
      expect(components.relay1.state_topic).toBe('faceplate/hall/state/gpio/2');
      await house.listener.publish(components.relay1.command_topic, 'ON');
      await stands('state/gpio/2', /"level":1/);
      await house.listener.publish(CONFIG, '', { retain: true });
      await house.listener.publish('homeassistant/status', 'online');
      await expect.poll(() => house.kept(CONFIG), SLOW).toContain('faceplate_hall_relay1');
    });

    test('should be told of by the broker when it dies, and come back', async () => {
      await house.stopPanel('SIGKILL');
      await stands('availability', /^offline$/);
      await house.startPanel();
      await stands('availability', /^online$/);
      await stands('state/led', /"red":7/);
    });

    test('should tell all again when the broker comes back, also without its memory', async () => {
      for (const isEmpty of [false, true]) {
        await house.broker.kill();
        await expect.poll(async () => (await house.facts()).state, SLOW).toBe('connecting');
        await color(isEmpty ? 11 : 10);
        if (isEmpty) house.broker.forget();
        await house.broker.start();
        await house.listen();
        await stands('state/led', isEmpty ? /"red":11/ : /"red":10/);
        await stands('availability', /^online$/);
        await expect.poll(() => house.kept(CONFIG), SLOW).toContain('faceplate_hall_relay1');
        await house.listener.publish('faceplate/hall/set/relay1', isEmpty ? 'ON' : 'OFF');
        await stands('state/gpio/2', isEmpty ? /"level":1/ : /"level":0/);
        expect(await house.facts()).toMatchObject({ state: 'connected', reason: null });
      }
    });

    test('should say offline before it leaves', async () => {
      await house.stopPanel();
      await stands('availability', /^offline$/);
    });
  });
