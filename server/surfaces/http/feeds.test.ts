import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import { type Identity, OWNER } from '../../contract/access.ts';
import type { LogLineLevel } from '../../parts/log/contract.ts';
import { createLogger, LogTail, silentLogger, Tail } from '../../platform/log.ts';
import { until } from '../../testing/waiting.ts';
import { testServer } from '../testing/testServer.ts';

const CONTROL: Identity = { id: 'c', name: 'control only', scopes: ['control'] };

describe('feeds over HTTP', () => {
  const logTail = new LogTail({ write: () => {} });
  const log = createLogger('info', logTail);
  const entries = new Tail<{ text: string }>(500);
  const handlers = {
    'log.read': ({ level }: { level?: LogLineLevel }) => logTail.feed(level),
    'console.read': () => entries.feed('console', (entry) => entry),
  } as unknown as Handlers;
  const dispatcher = new Dispatcher(handlers, silentLogger(), { pageMay: () => false });
  const server = testServer(() => dispatcher, {
    guard: { identify: (token) => (token === 'control' ? CONTROL : OWNER) },
  });
  before(() => server.start());
  after(() => server.stop());

  const get = (path: string, token = 'any') =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { authorization: `Bearer ${token}` } });

  it('should send what is kept and what comes, of the level that was asked for', async () => {
    log.info('before');
    log.error('broken before');
    const { status, headers, body } = await get('/api/manage/log?level=error');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/event-stream']);
    log.info('after');
    log.error('broken after');
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('broken after')) break;
    }
    const told = [...text.matchAll(/^event: log\ndata: (.+)$/gm)].map(([, data]) => JSON.parse(data!).msg);
    assert.deepEqual(told, ['broken before', 'broken after']);
  });

  it('should refuse a level that there is not', async () => {
    const answer = await get('/api/manage/log?level=loud');
    assert.equal(answer.status, 400);
    assert.equal(((await answer.json()) as { field: string }).field, 'level');
  });

  it('security: should be opened by the scope "view" alone', async () => {
    for (const path of ['/api/manage/log', '/api/manage/console', '/api/remote/page'])
      assert.equal((await get(path, 'control')).status, 403, path);
  });

  it('should send 500 long entries whole to a caller who reads late, and cut it off when 1 MiB more waits', async () => {
    const long = 'x'.repeat(4_096);
    for (let i = 0; i < 500; i++) entries.add({ text: `${i} ${long}` });
    const listen = () => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(
        'GET /api/manage/console HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer any\r\n\r\n',
      );
      return socket;
    };
    const late = listen();
    await until(() => late.bytesRead > 0 || late.readableLength > 0);
    entries.add({ text: 'the last' });
    let text = '';
    late.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    await until(() => text.includes('the last'));
    assert.equal(text.match(/^event: console$/gm)?.length, 501);
    late.destroy();

    const never = listen();
    let isClosed = false;
    never.once('close', () => {
      isClosed = true;
    });
    await until(() => never.readableLength > 0);
    never.pause();
    // The kernel takes some megabytes before anything waits in the service.
    for (let i = 0; i < 20_000 && !isClosed; i++) {
      entries.add({ text: long });
      if (i % 100 === 0) await new Promise(setImmediate);
    }
    never.resume();
    await until(() => isClosed);
  });
});
