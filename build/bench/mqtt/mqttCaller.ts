import type { Socket } from 'node:net';
import { connectAsync, type MqttClient } from 'mqtt';

/** A caller on the broker: sends commands with QoS 1, and hears their answers and retained states. */
export class MqttCaller {
  readonly #client: MqttClient;
  readonly #answers = new Map<string, () => void>();
  readonly #heard = new Map<string, (payload: string) => void>();
  #count = 0;

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on('message', (topic, payload, { properties }) => {
      const key = properties?.correlationData?.toString() ?? '';
      this.#answers.get(key)?.();
      this.#answers.delete(key);
      this.#heard.get(topic)?.(payload.toString());
    });
  }

  static async connect(url: string): Promise<MqttCaller> {
    const client = await connectAsync(url, {
      protocolVersion: 5,
      properties: { receiveMaximum: 65_535 },
    });
    // Small messages wait for nothing (Nagle's algorithm would add 40 ms).
    (client.stream as Socket).setNoDelay(true);
    const caller = new MqttCaller(client);
    await client.subscribeAsync('bench/answers', { qos: 1 });
    return caller;
  }

  /** Resolves once the answer is there. */
  async call(topic: string, params: object): Promise<void> {
    const key = String(this.#count++);
    const answered = new Promise<void>((resolve) => this.#answers.set(key, resolve));
    this.#client.publish(topic, JSON.stringify(params), {
      qos: 1,
      properties: { responseTopic: 'bench/answers', correlationData: Buffer.from(key) },
    });
    await answered;
  }

  /** Resolves with the first payload at a topic that fits. */
  async until(topic: string, fits: (payload: string) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#heard.set(topic, (payload) => fits(payload) && resolve());
      this.#client.subscribe(topic, { qos: 1 });
    });
    this.#heard.delete(topic);
  }

  async end(): Promise<void> {
    await this.#client.endAsync();
  }
}
