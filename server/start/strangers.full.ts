import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Listener } from '../surfaces/mqtt/testing/listener.ts';
import { FaceplateProcess } from '../testing/faceplateProcess.ts';
import { Mosquitto } from '../testing/mosquitto.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { until } from '../testing/waiting.ts';

const FLOOD = 3_600;
const AT_ONCE = 20;
const MOST_BYTES = 64 * 1024;
/** A flood may reach into a second minute of the budget, and on a busy machine into a third. */
const MINUTES = 3;

/** What strangers can have the panel write, tried on the whole panel. */
describe('a flood of a stranger', () => {
  const open: { stop(): Promise<unknown> }[] = [];
  let dataDir: string;
  let panel: FaceplateProcess;

  beforeEach(() => {
    dataDir = temporaryFolder('strangers');
  });
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.stop();
  });

  async function start(env: Record<string, string> = {}): Promise<void> {
    panel = new FaceplateProcess({ env: { FACEPLATE_BOARD: 'simulated', ...env }, dataDir });
    open.push(panel);
    await panel.start();
  }

  async function owner(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${await panel.token()}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await (await fetch(`${await panel.url}${path}`, init)).json()) as Record<string, unknown>;
  }
  const entries = async () =>
    (await owner('GET', '/api/manage/journal?limit=1000')).entries as {
      command: string;
      code: string;
      params: { red?: number; dropped?: number };
    }[];
  const written = () =>
    readdirSync(join(dataDir, 'journal'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) +
    Buffer.byteLength(panel.output);

  /** Bytes that the flood had the panel write, its stop included. */
  async function bytesOf(t: { diagnostic(message: string): void }, flood: () => Promise<void>) {
    await owner('POST', '/api/remote/led/color', { red: 77, green: 0, blue: 0 });
    // Reading writes what waits.
    assert.equal((await entries())[0]?.params.red, 77);
    const before = written();
    await flood();
    const kept = await entries();
    assert.ok(kept.some(({ command, params }) => command === 'led.color' && params.red === 77));
    await panel.stop();
    const bytes = written() - before;
    t.diagnostic(`${bytes} bytes written`);
    return { bytes, kept };
  }

  test('security: wrong pairings should leave the entries of the owner, and write less than 64 KiB', async (t) => {
    await start();
    const url = `${await panel.url}/api/pair`;
    const answers: Record<number, number> = {};
    const pair = async (body: object) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      await answer.arrayBuffer();
      answers[answer.status] = (answers[answer.status] ?? 0) + 1;
    };
    const flood = async (body: object) => {
      for (let i = 0; i < FLOOD; i += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, () => pair(body)));
    };
    const { bytes, kept } = await bytesOf(t, async () => {
      await flood({ code: '12345678', name: 'x'.repeat(3_900) });
      await flood({ code: '12345678', name: 'x'.repeat(900) });
      await flood({ code: '12345678', name: 'phone' });
    });
    t.diagnostic(JSON.stringify(answers));
    assert.ok((answers[400] ?? 0) >= FLOOD);
    assert.ok((answers[429] ?? 0) > 0);
    const refused = kept.filter(({ command }) => command === 'pairing.finish');
    assert.ok(refused.length >= 10 && refused.length <= 10 * MINUTES, String(refused.length));
    assert.ok(bytes > 0 && bytes < MOST_BYTES, String(bytes));
  });

  test('security: an address that guessed codes should be refused before its body', async () => {
    await start();
    const url = new URL('/api/pair', await panel.url);
    const headers = { 'content-type': 'application/json', 'content-length': '50' };
    const body = JSON.stringify({ code: '12345678', name: 'x' }).padEnd(50);
    const begin = () => request(url, { method: 'POST', headers, agent: false });
    const statusOf = async (asked: ReturnType<typeof begin>) => {
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      asked.destroy();
      return answer.statusCode;
    };
    for (let i = 0; i < 5; i++) assert.equal(await statusOf(begin().end(body)), 401);
    // This body never comes.
    const asked = begin();
    asked.on('error', () => {});
    asked.flushHeaders();
    assert.equal(await statusOf(asked), 429);
    const last = (await entries())[0];
    assert.deepEqual([last?.command, last?.code], ['pairing.finish', 'RATE_LIMITED']);
  });

  test('security: a member of the broker without scopes should leave the entries of the owner, and write less than 64 KiB', async (t) => {
    const broker = await Mosquitto.start();
    open.push(broker);
    const member = await Listener.start(broker.url);
    open.push(member);
    await start({
      FACEPLATE_MQTT_URL: broker.url,
      FACEPLATE_MQTT_ID: 'hall',
      FACEPLATE_MQTT_SCOPES: '[]',
    });
    await until(
      async () => ((await owner('GET', '/api/remote/info')).mqtt as { state: string }).state === 'connected',
    );
    await member.hear('faceplate/hall/result/#');
    const params = JSON.stringify({ command: 'x'.repeat(3_900) });
    const { bytes, kept } = await bytesOf(t, async () => {
      for (let i = 0; i < FLOOD; i += AT_ONCE)
        await Promise.all(
          Array.from({ length: AT_ONCE }, () =>
            member.publish('faceplate/hall/command/terminal.exec', params),
          ),
        );
      await until(() => member.received.length === FLOOD, 'all answers', { limitMs: 120_000 });
    });
    for (const { text } of member.received) assert.match(text, /"code":"FORBIDDEN"/);
    const refused = kept.filter(({ command }) => command === 'terminal.exec');
    assert.ok(refused.length >= 10 && refused.length <= 10 * MINUTES, String(refused.length));
    assert.deepEqual(refused[0]?.params, {});
    assert.ok(bytes > 0 && bytes < MOST_BYTES, String(bytes));
  });
});
