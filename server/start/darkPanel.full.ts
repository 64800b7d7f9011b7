import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FaceplateProcess } from '../testing/faceplateProcess.ts';
import { freeTcpPort } from '../testing/freePort.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { until } from '../testing/waiting.ts';

/** An address that no machine of a test has (RFC 5737). */
const NOT_OURS = '192.0.2.77';

let dataDir = '';
const services: FaceplateProcess[] = [];
beforeEach(async () => {
  dataDir = temporaryFolder('dark');
  await chmod(dataDir, 0o711);
});
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

const file = (tree: unknown) =>
  writeFile(join(dataDir, 'settings.json'), typeof tree === 'string' ? tree : JSON.stringify(tree));

/** A panel whose address and port stand in its settings.json. */
function make(env: Record<string, string> = {}): FaceplateProcess {
  const service = new FaceplateProcess({
    dataDir,
    env: { FACEPLATE_HTTP_HOST: '', FACEPLATE_HTTP_PORT: '', ...env },
  });
  services.push(service);
  return service;
}

async function started(env?: Record<string, string>): Promise<FaceplateProcess> {
  const service = make(env);
  await service.start();
  return service;
}

async function call(service: FaceplateProcess, path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' };
  const answer = await fetch(`${await service.url}${path}`, { ...init, headers });
  return (await answer.json()) as Record<string, unknown>;
}

async function undone(service: FaceplateProcess): Promise<{ setting: string; reason: string; at: string }[]> {
  return (await call(service, '/api/remote/health')).undone as never;
}

const names = async (service: FaceplateProcess) => (await undone(service)).map(({ setting }) => setting);
const change = (service: FaceplateProcess, tree: unknown) =>
  call(service, '/api/manage/settings', { method: 'PATCH', body: JSON.stringify(tree) });

describe('a panel with settings that it cannot start with', () => {
  test('should listen on loopback when its address is gone, and tell it until somebody changes that', async () => {
    await file({ http: { host: NOT_OURS, port: await freeTcpPort() } });
    const service = await started();
    const [entry, ...more] = await undone(service);
    assert.deepEqual([entry?.setting, more], ['http.host', []]);
    assert.match(entry?.reason ?? '', /EADDRNOTAVAIL/);
    assert.ok(!(entry?.reason ?? '').includes(NOT_OURS));
    await change(service, { http: { host: null } });
    assert.deepEqual(await names(service), []);
  });

  test('should take its last port while another program has the new one, and move when that ends', async () => {
    const [last, wished] = [await freeTcpPort(), await freeTcpPort()];
    await file({ http: { host: '127.0.0.1', port: last } });
    await (await started()).stop();
    const other = createServer().listen(wished, '127.0.0.1');
    await once(other, 'listening');
    await file({ http: { host: '127.0.0.1', port: wished } });
    const service = await started();
    assert.equal(await service.url, `http://127.0.0.1:${last}`);
    assert.deepEqual(await names(service), ['http.port']);
    other.close();
    await once(other, 'close');
    await until(async () => (await names(service)).length === 0, 'the move', { everyMs: 250 });
    assert.equal((await fetch(`http://127.0.0.1:${wished}/healthz`)).status, 200);
    const { address } = await call(service, '/api/remote/info');
    assert.equal(address, `127.0.0.1:${wished}`);
  });

  test('should end as a second service in the same data folder, whatever its port', async () => {
    await file({ http: { host: '127.0.0.1', port: await freeTcpPort() } });
    const service = await started();
    const second = make();
    await second.launch();
    assert.equal((await second.ended()).code, 1);
    assert.match(second.output, /Port \d+ is in use/);
    assert.deepEqual(await names(service), []);
  });

  test('should start with the last settings that worked after three starts that failed', async () => {
    const http = { host: '127.0.0.1', port: 0 };
    await file({ http, board: 'simulated', terminal: { enabled: true } });
    await (await started()).stop();
    await file({ http, board: join(dataDir, 'no-such-profile.json'), terminal: { enabled: false } });
    // Neither is a failure of the settings: an end that somebody wants, and a port that the environment holds.
    const early = make();
    await early.launch();
    await early.line(/"msg":"http: listening"/);
    await early.stop();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const held = make({ FACEPLATE_HTTP_PORT: String((other.address() as { port: number }).port) });
    await held.launch();
    assert.equal((await held.ended()).code, 1);
    other.close();
    for (let failed = 0; failed < 3; failed++) {
      const failing = make();
      await failing.launch();
      assert.equal((await failing.ended()).code, 1, failing.output);
    }
    const service = await started();
    const [entry, ...more] = await undone(service);
    assert.deepEqual([entry?.setting, more], ['board', []]);
    assert.match(entry?.reason ?? '', /3 starts in a row/);
    const answer = await change(service, { 'terminal.enabled': false });
    assert.partialDeepStrictEqual(answer, { settings: { 'terminal.enabled': { value: false } } });
    await service.stop();
    const next = await started();
    assert.deepEqual(await undone(next), [entry]);
    await change(next, { board: 'simulated' });
    assert.deepEqual(await undone(next), []);
  });

  test('should start with values that do not fit, and with a file that is cut off', async () => {
    const port = await freeTcpPort();
    await file({ http: { host: '127.0.0.1', port }, kiosk: { quietHour: 4 } });
    await (await started()).stop();
    await file({ http: { host: '127.0.0.1', port }, kiosk: { quietHour: 44, colour: 'red' } });
    const service = await started();
    assert.deepEqual(await names(service), ['kiosk.quietHour']);
    assert.match(service.output, /"ignored":\["kiosk.quietHour","kiosk.colour"\]/);
    await service.stop();
    await file('{"http":{"po');
    const next = await started();
    assert.equal(await next.url, `http://127.0.0.1:${port}`);
    assert.deepEqual(await names(next), ['settings.json']);
    assert.deepEqual(JSON.parse(await readFile(join(dataDir, 'settings.json'), 'utf8')), {
      http: { host: '127.0.0.1', port },
      kiosk: { quietHour: 4 },
    });
  });

  test('should end the start with the sentence where the environment holds what cannot be opened', async () => {
    await file({ http: { port: 0 } });
    const service = make({ FACEPLATE_HTTP_HOST: NOT_OURS });
    await service.launch();
    assert.equal((await service.ended()).code, 1);
    assert.match(service.output, /faceplate: 192\.0\.2\.77 is no address of this machine\./);
  });
});
