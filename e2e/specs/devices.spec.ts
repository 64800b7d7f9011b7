import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { freeUdpPort } from '../../server/testing/freePort.ts';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { readEvents } from '../heardEvents.ts';

interface Told {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** What a token's event stream tells of devices. */
async function listen(service: FaceplateProcess, token: string) {
  const hangUp = new AbortController();
  const told: Told[] = [];
  const { ended } = await readEvents(service, token, hangUp.signal, (event, data) => {
    if (event === 'udp' || event === 'tcp') told.push({ event, data: data as Told['data'] });
  });
  return { told, ended, hangUp: () => hangUp.abort() };
}

/** A device on a free port of this machine; ends with its test. */
async function tcpDevice(act: (socket: Socket) => void = (socket) => void socket.pipe(socket)) {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    act(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Calls with another token than the owner's. */
async function tokenFor(service: FaceplateProcess, name: string) {
  const api = await apiOf(service);
  const { body } = await api('/api/manage/tokens', { name, scopes: ['view', 'control'] });
  const token = String(body.token);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const owner = { authorization: `Bearer ${await service.token()}` };
  const revoke = () => api(`/api/manage/tokens/${body.id}`, undefined, { method: 'DELETE', headers: owner });
  const call = (path: string, params: object) => api(path, params, { headers });
  return { token, call, revoke };
}

async function sendDatagram(port: number, text: string): Promise<void> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve, reject) =>
    socket.send(text, port, '127.0.0.1', (error) => (error ? reject(error) : resolve())),
  );
  socket.close();
}

/** Whether a UDP port is free. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind(port, () => socket.close(() => resolve(true)));
  });
}

test('security: should tell datagrams only to the token that listens, until its last stream ends', async ({
  panel: service,
  api,
}) => {
  const owner = await listen(service, await service.token());
  const other = await tokenFor(service, 'other');
  const others = await listen(service, other.token);
  const port = await freeUdpPort();
  expect(await api('/api/remote/udp/listen', { port })).toEqual({
    status: 200,
    body: { status: 'ok', port },
  });
  await sendDatagram(port, 'Hey');
  await expect
    .poll(() => owner.told)
    .toEqual([{ event: 'udp', data: { port, host: '127.0.0.1', hex: '486579' } }]);
  // Both hear it now, and the port stays for the one who remains.
  expect((await other.call('/api/remote/udp/listen', { port })).status).toBe(200);
  owner.hangUp();
  await owner.ended;
  await sendDatagram(port, 'You');
  await expect.poll(() => others.told.length).toBe(1);
  others.hangUp();
  await expect.poll(() => isFree(port)).toBe(true);
});

test('should refuse a port that is in use, the ninth, and one of the panel', async ({
  panel: service,
  api,
}) => {
  const stream = await listen(service, await service.token());
  const taken = createSocket('udp4').bind(0);
  await once(taken, 'listening');
  const call = (port: number) => api('/api/remote/udp/listen', { port });
  expect(await call(taken.address().port)).toEqual(failure(409, 'PORT_BUSY'));
  taken.close();
  const { port: own } = new URL(await service.url);
  expect(await call(Number(own))).toEqual(failure(403, 'FORBIDDEN'));
  expect(await call(5353)).toEqual(failure(403, 'FORBIDDEN'));
  expect(await call(80)).toEqual(failure(400, 'INVALID_REQUEST', undefined, 'port'));
  for (let count = 0; count < 8; count++) expect((await call(await freeUdpPort())).status).toBe(200);
  expect(await call(await freeUdpPort())).toEqual(failure(409, 'CONFLICT'));
  stream.hangUp();
});

test('should carry bytes over TCP for a caller, and end with the token within a second', async ({
  panel: service,
  api,
}) => {
  const { token, call, revoke } = await tokenFor(service, 'lights');
  const stream = await listen(service, token);
  using device = await tcpDevice();
  const opened = await call('/api/remote/tcp/open', { host: 'localhost', port: device.port });
  expect(opened.status).toBe(200);
  const { id } = opened.body;
  expect(await call('/api/remote/tcp/send', { id, text: 'ON\r' })).toEqual({ status: 200, body: { id } });
  await expect
    .poll(() => stream.told.map(({ data }) => data))
    .toEqual([
      { id, state: 'open' },
      { id, state: 'open', hex: '4F4E0D' },
    ]);
  expect(await api('/api/remote/tcp/send', { id, text: 'x' })).toEqual(failure(404, 'NOT_FOUND'));
  const ended = once(device.sockets[0]!, 'close');
  const at = performance.now();
  expect((await revoke()).status).toBe(200);
  await ended;
  expect(performance.now() - at).toBeLessThan(1_000);
});

test('should end the connections and ports of a page that is loaded again', async ({ page, api }) => {
  using device = await tcpDevice();
  const port = await freeUdpPort();
  const got = await page.evaluate(
    async ({ tcp, udp }) => {
      const { container } = window;
      const heard: string[] = [];
      container!.on('tcp', ({ hex }) => void (hex && heard.push(hex)));
      await container!.call('udp.listen', { port: udp });
      const { id } = await container!.call('tcp.open', { host: '127.0.0.1', port: tcp });
      await container!.call('tcp.send', { id, hex: 'CAFE' });
      while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      return heard;
    },
    { tcp: device.port, udp: port },
  );
  expect(got).toEqual(['CAFE']);
  expect(await isFree(port)).toBe(false);
  const ended = once(device.sockets[0]!, 'close');
  await page.reload();
  await ended;
  await expect.poll(() => isFree(port)).toBe(true);
  expect((await api('/healthz')).status).toBe(200);
});

test('should bring a page all of what a fast device sends, in order, and no faster than it takes it', async ({
  page,
}) => {
  const size = 4 * 1024 * 1024;
  using device = await tcpDevice((socket) => {
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; at += 4) bytes.writeUInt32BE(at, at);
    socket.end(bytes);
  });
  const got = await page.evaluate(async (port) => {
    let next = 0;
    let isInOrder = true;
    let rest = '';
    return new Promise<{ next: number; isInOrder: boolean }>((resolve) => {
      window.container!.on('tcp', ({ state, hex = '' }) => {
        rest += hex;
        const whole = rest.length - (rest.length % 8);
        for (let at = 0; at < whole; at += 8) {
          isInOrder &&= Number.parseInt(rest.slice(at, at + 8), 16) === next;
          next += 4;
        }
        rest = rest.slice(whole);
        if (state === 'closed') resolve({ next, isInOrder });
      });
      void window.container!.call('tcp.open', { host: '127.0.0.1', port });
    });
  }, device.port);
  expect(got).toEqual({ next: size, isInOrder: true });
});

test('security: should connect a page to no port of the panel, nor out of the local network', async ({
  page,
  panel,
}) => {
  const { port } = new URL(await panel.url);
  const codes = await page.evaluate(async (own) => {
    const code = (call: Promise<unknown>) =>
      call.then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
    const { call } = window.container!;
    return [
      await code(call('tcp.open', { host: '127.0.0.1', port: own })),
      await code(call('tcp.open', { host: 'localhost', port: own })),
      await code(call('tcp.open', { host: '8.8.8.8', port: 80 })),
      await code(call('http.request', { url: `http://127.0.0.1:${own}/api/remote/info` })),
      await code(call('http.request', { url: `http://panel.localhost:${own}/` })),
      await code(call('http.request', { url: 'http://8.8.8.8/' })),
    ];
  }, Number(port));
  expect(codes.filter((code) => code !== 'FORBIDDEN' && code !== 'HARDWARE_ERROR')).toEqual([]);
  expect(codes[4]).not.toBe('done');
  expect(codes.toSpliced(4, 1)).toEqual(Array(5).fill('FORBIDDEN'));
});

test('security: should keep headers and body of a request out of the journal, and offer none over HTTP', async ({
  page,
  panel,
  api,
}) => {
  const device = createHttpServer((_request, response) => response.end('taken'));
  device.listen(0, '127.0.0.1');
  await once(device, 'listening');
  const { port } = device.address() as AddressInfo;
  const answer = await page.evaluate(
    (url) =>
      window.container!.call('http.request', {
        url,
        method: 'POST',
        headers: { authorization: 'Bearer hush-1' },
        body: '{"password":"hush-2"}',
      }),
    `http://admin:hush-3@127.0.0.1:${port}/set`,
  );
  expect(answer).toMatchObject({ status: 200, body: 'taken' });
  const journal = await api('/api/manage/journal?limit=20');
  expect(JSON.stringify(journal.body)).toContain('http.request');
  expect(JSON.stringify(journal.body)).not.toContain('hush');
  expect(panel.output).not.toContain('hush');
  expect(await api('/api/remote/http/request', { url: `http://127.0.0.1:${port}/` })).toEqual(
    failure(404, 'NOT_FOUND'),
  );
  device.close();
});

test('security: should reach programs of this machine on a simulated board alone', async ({
  startFaceplate,
}) => {
  const service = await startFaceplate({ args: ['--board', 'generic-linux'] });
  const api = await apiOf(service);
  using device = await tcpDevice();
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await api('/api/remote/tcp/open', { host, port: device.port })).toEqual(failure(403, 'FORBIDDEN'));
  expect(device.sockets).toEqual([]);
});
