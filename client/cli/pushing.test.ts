import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { until } from '../../server/testing/waiting.ts';
import { Panel } from '../index.ts';
import { readFolder } from './folder.ts';
import { type Done, Push } from './pushing.ts';

describe('pushing to a panel', () => {
  let folder = '';
  let asked: string[] = [];
  let answer: (response: ServerResponse, method: string) => void;
  const server = createServer((request, response) => {
    asked.push(request.method!);
    request.resume().on('end', () => answer(response, request.method!));
  });
  const ok = (response: ServerResponse) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"id":"p","name":"p","active":true,"version":"0"}');
  const refuse = (status: number, code: string) => (response: ServerResponse) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: 'No.', code }));

  beforeEach(async () => {
    folder = temporaryFolder('push');
    asked = [];
    answer = ok;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  function start() {
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const voice = { during: (_what: string, work: () => Promise<unknown>) => work() };
    const target = { name: 'p', panel: new Panel(address), voice: voice as never };
    const push = new Push(target, folder, 'p', new AbortController().signal);
    const done: Done[] = [];
    const failed: unknown[] = [];
    const want = async () =>
      push.want(
        await readFolder(folder),
        (each) => done.push(each),
        (error) => failed.push(error),
      );
    return { push, want, done, failed };
  }

  it('should send all first, then what changed, and nothing that is there', async () => {
    const { want, done } = start();
    write('index.html', 'one');
    write('a.js', 'a');
    await want();
    write('a.js', 'b');
    await want();
    await want();
    assert.deepEqual(asked, ['POST', 'PATCH']);
    assert.deepEqual(
      done.map(({ files }) => files),
      [2, 1],
    );
  });

  it('should send what is refused once, until it changes', async () => {
    const { want, done, failed } = start();
    write('index.html', 'one');
    answer = refuse(400, 'INVALID_REQUEST');
    await want();
    await want();
    assert.deepEqual([asked, failed.length], [['POST'], 1]);
    answer = ok;
    write('index.html', 'two');
    await want();
    assert.equal(done.length, 1);
  });

  it('should send all again to a panel that has another version, or was away', async () => {
    const { want, done, failed } = start();
    write('index.html', 'one');
    await want();
    answer = (response, method) => (method === 'PATCH' ? refuse(409, 'CONFLICT')(response) : ok(response));
    write('index.html', 'two');
    await want();
    assert.deepEqual(asked, ['POST', 'PATCH', 'POST']);
    answer = (response) => response.destroy();
    write('index.html', 'three');
    await want();
    assert.equal(failed.length, 1);
    answer = ok;
    await want();
    assert.deepEqual(asked, ['POST', 'PATCH', 'POST', 'PATCH', 'POST']);
    assert.equal(done.length, 3);
  });

  it('should go on with the newest files when saves come faster than a panel takes them', async () => {
    const { want, done } = start();
    const waiting: ServerResponse[] = [];
    write('index.html', '0');
    await want();
    answer = (response) => waiting.push(response);
    write('index.html', '1');
    const sending = want();
    await until(() => waiting.length === 1);
    for (const text of ['2', '3', '4']) {
      write('index.html', text);
      await want();
    }
    answer = ok;
    ok(waiting[0]!);
    await sending;
    // The ones between were never sent.
    assert.deepEqual(asked, ['POST', 'PATCH', 'PATCH']);
    assert.equal(done.length, 3);
  });

  it('should send nothing half written', async () => {
    const { push } = start();
    write('index.html', 'one');
    const files = await readFolder(folder);
    write('index.html', 'another by now');
    assert.equal(await push.send(files), undefined);
    assert.deepEqual(asked, []);
  });
});
