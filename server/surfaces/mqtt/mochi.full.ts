import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { freeTcpPort, isListening } from '../../testing/freePort.ts';
import { buildGoProgram } from '../../testing/goProgram.ts';
import { until } from '../../testing/waiting.ts';
import { BrokerPanel } from './testing/brokerPanel.ts';
import { Listener } from './testing/listener.ts';

/** mochi-mqtt, on ports of 127.0.0.1. @returns its port; undefined where there is no Go, or an old one */
async function startMochi(t: TestContext): Promise<number | undefined> {
  const module = { module: 'github.com/mochi-mqtt/server/v2', version: 'v2.7.9', folder: 'cmd' };
  const program = await buildGoProgram({ name: 'mochi', ...module }).catch((error: Error) => {
    if (!error.message.includes('Go 1.24')) throw error;
    t.skip(error.message);
  });
  if (program === undefined) return undefined;
  const [port, web, facts] = [await freeTcpPort(), await freeTcpPort(), await freeTcpPort()];
  const places = { tcp: port, ws: web, info: facts };
  const args = Object.entries(places).map(([name, free]) => `-${name}=127.0.0.1:${free}`);
  const broker = spawn(program, args, { stdio: 'ignore' });
  const ended = once(broker, 'exit');
  t.after(async () => {
    broker.kill();
    await ended;
  });
  await until(() => isListening(port), 'the broker');
  return port;
}

test('should answer each command on mochi-mqtt once, though its acknowledgements are malformed', async (t) => {
  const port = await startMochi(t);
  if (port === undefined) return;
  const url = `mqtt://127.0.0.1:${port}`;
  const carriedOut: number[] = [];
  const panel = await BrokerPanel.start({
    settings: { url },
    handlers: {
      'led.color': ({ red }: { red: number }) => {
        carriedOut.push(red);
        return { status: 'ok', state: { on: true, red, green: 0, blue: 0 } };
      },
    },
  });
  t.after(() => panel.stop());
  const reasons = new Set<string | null>();
  const look = setInterval(() => reasons.add(panel.surface.facts().reason), 5);
  t.after(() => clearInterval(look));
  const listener = await Listener.start(url, 4);
  t.after(() => listener.stop());
  const say = (red: number) =>
    listener.publish('faceplate/hall/command/led.color', JSON.stringify({ red, green: 0, blue: 0 }));

  // Nobody has subscribed to the answer: the broker acknowledges it with a reason code that is none.
  await say(1);
  const isMalformed = () => [...reasons].some((one) => one?.includes('malformed packet'));
  await until(isMalformed, 'the malformed packet', { limitMs: 30_000 });
  // It repeats: from then on the panel speaks MQTT 3.1.1, which has no reason codes.
  await until(
    async () => {
      await panel.connected();
      await say(2);
      return carriedOut.includes(2);
    },
    'a command after it',
    { limitMs: 60_000, everyMs: 1_000 },
  );
  await listener.hear('faceplate/hall/result/+');
  await until(
    async () => {
      await say(3);
      return listener.received.length > 0;
    },
    'an answer',
    { limitMs: 60_000, everyMs: 1_000 },
  );
  await panel.connected();
  assert.equal(panel.surface.facts().reason, null);
  for (const red of [10, 11, 12, 13]) await say(red);
  await until(() => carriedOut.includes(13), 'the last command');
  assert.deepEqual(
    carriedOut.filter((red) => red >= 10),
    [10, 11, 12, 13],
  );
  assert.equal(carriedOut.filter((red) => red === 1).length, 1, 'no command is carried out twice');
});
