import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { errnoOf } from '../errno.ts';
import { silentLogger } from '../log.ts';
import { FrameReader, frame, SwayIpc } from './swayIpc.ts';

const OK = '[{"success":true}]';

describe('the connection to the compositor', () => {
  let folder = '';
  let path = '';
  let server: Server;
  let ipc: SwayIpc;
  const clients = new Set<Socket>();
  const asked: string[] = [];
  /** What the double answers; undefined: nothing. */
  let answer: (type: number, text: string) => string | Buffer | undefined;

  beforeEach(async () => {
    folder = temporaryFolder('ipc');
    path = join(folder, 'sock');
    asked.length = 0;
    answer = (type) => (type === 2 ? '{"success":true}' : OK);
    await listen();
    ipc = new SwayIpc({ path, log: silentLogger() });
  });
  afterEach(async () => {
    await ipc.stop();
    await hangUp();
  });

  function listen(): Promise<void> {
    server = createServer((socket) => {
      clients.add(socket);
      const reader = new FrameReader();
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        for (const { type, text } of reader.take(bytes)) {
          asked.push(text);
          const told = answer(type, text);
          if (told !== undefined) socket.write(typeof told === 'string' ? frame(type, told) : told);
        }
      });
    });
    return new Promise((resolve) => server.listen(path, () => resolve()));
  }
  async function hangUp(): Promise<void> {
    for (const client of clients) client.destroy();
    clients.clear();
    await new Promise((resolve) => server.close(resolve));
  }

  test('should put messages together however they are cut', () => {
    const bytes = Buffer.concat([frame(4, '{"a":"ü"}'), frame(0, ''), frame(7, 'x'.repeat(70_000))]);
    for (const size of [1, 7, 14, 4_096, bytes.length]) {
      const reader = new FrameReader();
      const frames = [];
      for (let at = 0; at < bytes.length; at += size)
        frames.push(...reader.take(bytes.subarray(at, at + size)));
      assert.deepEqual(
        frames.map(({ type, text }) => [type, text.length]),
        [
          [4, 9],
          [0, 0],
          [7, 70_000],
        ],
      );
    }
  });

  test('should answer each question with its own answer, and pass events on', async () => {
    answer = (type, text) =>
      type === 2 ? '{}' : type === 0 ? OK : `[{"name":"A-1","active":true,"dpms":${text === ''}}]`;
    await ipc.start();
    await ipc.ready();
    const seen: unknown[] = [];
    ipc.listen({
      onWindow: (change, { id, name }) => seen.push([change, id, name]),
      onBinding: (command) => seen.push(command),
    });
    const [, outputs] = await Promise.all([ipc.command('nop'), ipc.outputs()]);
    assert.deepEqual(outputs, [{ name: 'A-1', isActive: true, isLit: true, rotation: undefined }]);
    const event = { change: 'new', container: { id: 7, pid: 1, name: 'a', type: 'con' } };
    const press = { change: 'run', binding: { command: 'nop a', symbol: 'button1', input_type: 'mouse' } };
    for (const client of clients) {
      client.write(frame(0x8000_0003, JSON.stringify(event)));
      for (const each of [{}, press]) client.write(frame(0x8000_0005, JSON.stringify(each)));
    }
    await until(() => seen.length > 1, 'the events');
    assert.deepEqual(seen, [['new', 7, 'a'], 'nop a']);
    assert.deepEqual(asked.slice(0, 2), ['["window","binding"]', '["output"]']);
  });

  test('should report a refusal as an error of the system', async () => {
    answer = (type) => (type === 2 ? '{}' : '[{"success":true},{"success":false,"error":"no"}]');
    await ipc.start();
    await ipc.ready();
    await assert.rejects(
      ipc.command('nop'),
      (error) => errnoOf(error) === 'EIO' && /refuses: no/.test(String(error)),
    );
  });

  test('should connect again when the compositor comes back', async () => {
    await assert.rejects(ipc.windows(), (error) => errnoOf(error) === 'ENOTCONN');
    await ipc.start();
    await ipc.ready();
    await hangUp();
    await until(() => !ipc.isUp, 'the loss');
    await listen();
    await ipc.ready();
    await ipc.command('nop');
  });

  test('security: should hang up on bytes that are no message, on endless ones and on wrong answers', async () => {
    const endless = frame(0, '');
    endless.writeUInt32LE(0xffff_ffff, 6);
    for (const bad of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), endless, frame(0, '{'), frame(4, '[]')]) {
      answer = (type) => (type === 2 ? '{}' : bad);
      const victim = new SwayIpc({ path, log: silentLogger() });
      await victim.start();
      await victim.ready();
      await assert.rejects(victim.command('nop'), (error) => errnoOf(error) === 'ENOTCONN');
      await victim.stop();
    }
  });

  test('security: should give up a question that is not answered, and hold a bounded number of them', async () => {
    answer = (type) => (type === 2 ? '{}' : undefined);
    await ipc.start();
    await ipc.ready();
    const questions = Array.from({ length: 150 }, () => ipc.command('nop').then(String, errnoOf));
    assert.deepEqual(await Promise.race(questions), 'ENOTCONN');
    assert.deepEqual([...new Set(await Promise.all(questions))], ['ENOTCONN']);
  });
});
