import { randomUUID } from 'node:crypto';
import { connectAsync, type IPublishPacket, type MqttClient } from 'mqtt';
import { until } from '../../../testing/waiting.ts';

/** What another client on the broker received. */
export interface Received {
  readonly topic: string;
  readonly text: string;
  readonly packet: IPublishPacket;
}

/** Another client on the broker: says things, and hears all. */
export class Listener {
  readonly #client: MqttClient;
  readonly received: Received[] = [];

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on('message', (topic, payload, packet) =>
      this.received.push({ topic, text: payload.toString(), packet }),
    );
  }

  /** @param version 5, or 4 for MQTT 3.1.1 @throws what the broker says */
  static async start(url: string, version: 4 | 5 = 5): Promise<Listener> {
    const client = await connectAsync(url, { protocolVersion: version, reconnectPeriod: 0 });
    client.on('error', () => {});
    return new Listener(client);
  }

  async hear(filter: string): Promise<void> {
    await this.#client.subscribeAsync(filter, { qos: 1 });
  }

  /** Sends with QoS 1. */
  async publish(
    topic: string,
    payload: string | Buffer,
    options: { retain?: boolean; responseTopic?: string; correlation?: string | Buffer } = {},
  ): Promise<void> {
    const { retain = false, responseTopic, correlation } = options;
    const properties = {
      ...(responseTopic !== undefined && { responseTopic }),
      ...(correlation !== undefined && { correlationData: Buffer.from(correlation) }),
    };
    await this.#client.publishAsync(topic, payload, {
      qos: 1,
      retain,
      ...(Object.keys(properties).length > 0 && { properties }),
    });
  }

  /** Waits for a message that arrived since, and takes it out. */
  async next(topic: string | RegExp): Promise<Received> {
    const find = () =>
      this.received.findIndex((one) =>
        typeof topic === 'string' ? one.topic === topic : topic.test(one.topic),
      );
    await until(() => find() >= 0, `a message at ${topic}`);
    return this.received.splice(find(), 1)[0]!;
  }

  /** What the broker keeps now below a filter, as texts. */
  async retained(filter: string): Promise<Record<string, string>> {
    const { username, password, protocolVersion } = this.#client.options;
    const other = await connectAsync(urlOf(this.#client), {
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      protocolVersion: protocolVersion ?? 5,
      reconnectPeriod: 0,
    });
    const found: Record<string, string> = {};
    let isOver = false;
    // Without a dot: RabbitMQ makes a slash of it.
    const end = `end/${randomUUID()}`;
    other.on('message', (topic, payload, { retain }) => {
      if (topic === end) isOver = true;
      else if (retain) found[topic] = payload.toString();
    });
    await other.subscribeAsync([filter, end], { qos: 1 });
    // Comes after what is retained: the broker keeps the order of a client.
    await other.publishAsync(end, '', { qos: 1 });
    await until(() => isOver, 'the end of what is retained');
    await other.endAsync();
    return found;
  }

  async stop(): Promise<void> {
    await this.#client.endAsync(true);
  }
}

function urlOf({ options }: MqttClient): string {
  return `${options.protocol}://${options.host}:${options.port}`;
}
