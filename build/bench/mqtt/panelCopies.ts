// A process of many panels on a broker, each with a connection of its own. They say what a real panel said, under other ids:
// fork with the broker's
// address, the first number, how many, and the topic of the state that each sends once a second from `go` on.
import { connectAsync, type MqttClient } from 'mqtt';

/** How many connect at a time. */
const AT_A_TIME = 25;
/** States of all panels are sent in so many portions a second. */
const PORTIONS = 20;
const PORTION_MS = 1_000 / PORTIONS;

/** What a panel keeps on the broker: topics with payloads, in the order in which it said them. */
export type Kept = readonly (readonly [topic: string, payload: string])[];

/** From the bench: the messages of the panel that is copied. Then `go`, which begins the states. */
export type ToCopies = { readonly id: string; readonly kept: Kept } | 'go';

if (import.meta.main) {
  const [url = '', first = '0', count = '0', changing = ''] = process.argv.slice(2);
  const panels: { readonly id: string; readonly client: MqttClient }[] = [];
  const copied = ({ id, kept }: Exclude<ToCopies, 'go'>, to: string) =>
    kept.map(([topic, payload]) => [topic.replaceAll(id, to), payload.replaceAll(id, to)] as const);

  const start = async (to: string, what: Exclude<ToCopies, 'go'>): Promise<void> => {
    const base = `faceplate/${to}`;
    const client = await connectAsync(url, {
      protocolVersion: 5,
      clientId: `faceplate-${to}`,
      keepalive: 15,
      properties: { sessionExpiryInterval: 60, receiveMaximum: 100 },
      will: { topic: `${base}/availability`, payload: Buffer.from('offline'), qos: 1, retain: true },
    });
    panels.push({ id: to, client });
    await client.subscribeAsync([`${base}/command/+`, `${base}/set/+`, 'homeassistant/status'], { qos: 1 });
    await Promise.all(
      copied(what, to).map(([topic, payload]) =>
        client.publishAsync(topic, payload, { qos: 1, retain: true }),
      ),
    );
    await client.publishAsync(`${base}/availability`, 'online', { qos: 1, retain: true });
  };

  const startAll = async (what: Exclude<ToCopies, 'go'>): Promise<void> => {
    const ids = Array.from({ length: Number(count) }, (_, at) => `copy${Number(first) + at}`);
    while (ids.length > 0) await Promise.all(ids.splice(0, AT_A_TIME).map((id) => start(id, what)));
    process.send?.('online');
  };

  /** Each panel says a state once a second; not all at the same moment, and on a busy machine not fewer. */
  const change = (): void => {
    const startedAt = performance.now();
    let turn = 0;
    setInterval(() => {
      for (const due = (performance.now() - startedAt) / PORTION_MS; turn < due; turn++) say(turn);
    }, PORTION_MS);
  };

  const say = (turn: number): void => {
    const payload = JSON.stringify({ on: true, red: turn % 256, green: 0, blue: 0 });
    for (let at = turn % PORTIONS; at < panels.length; at += PORTIONS) {
      const { id, client } = panels[at]!;
      client.publish(`faceplate/${id}/${changing}`, payload, { qos: 1, retain: true });
    }
  };

  process.on('message', (message: ToCopies) => {
    if (message === 'go') change();
    else void startAll(message);
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}
