import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Listener } from '../../server/surfaces/mqtt/testing/listener.ts';
import { OldBroker } from '../../server/surfaces/mqtt/testing/oldBroker.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { type Api, apiOf } from '../api.ts';
import { ErlangBroker, type RecipeOf } from './erlangBroker.ts';

const USER = 'house';
const PASSWORD = 'right';

/** A broker of another make than mosquitto. */
export interface Make {
  readonly recipe: RecipeOf;
  /** 4 is MQTT 3.1.1. */
  readonly version: 4 | 5;
  /** Whether something in front of it has to refuse MQTT 5, because it speaks both. */
  readonly isMadeOld?: boolean;
}

/** A house with such a broker, a panel `hall` and somebody who listens. */
export class BrokerHouse {
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
