import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, describe, it } from 'node:test';
import { calls } from './calls.ts';
import { eventsIn } from './eventStream.ts';
import { Panel, PanelError, PanelUnreachable, panelUrl } from './index.ts';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the client', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** A server that answers as `listener` does, and what it was asked. */
  async function serve(listener: (request: IncomingMessage, response: ServerResponse) => unknown) {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const json = (response: ServerResponse, status: number, value: unknown) =>
    response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(value));

  it('should take names, addresses with and without a port, and URLs', () => {
    for (const [address, origin] of [
      ['panel', 'http://panel:8080'],
      ['192.0.2.7', 'http://192.0.2.7:8080'],
      ['192.0.2.7:81', 'http://192.0.2.7:81'],
      ['192.0.2.7:80', 'http://192.0.2.7'],
      ['[2001:db8::1]', 'http://[2001:db8::1]:8080'],
      ['[2001:db8::1]:81', 'http://[2001:db8::1]:81'],
      ['http://panel.example', 'http://panel.example'],
      ['https://panel.example/manage/', 'https://panel.example'],
    ] as const)
      assert.equal(panelUrl(address).origin, origin);
    for (const address of ['', 'a b', 'http://', ':8080']) assert.throws(() => panelUrl(address), TypeError);
  });

  it('should put each field where the call has it', async () => {
    const asked: unknown[] = [];
    const panel = new Panel(
      await serve(async (request, response) => {
        const { method, url, headers } = request;
        asked.push([method, url, headers['content-type'], await text(request), headers.authorization]);
        json(response, 200, {});
      }),
      { token: 't' },
    );
    await panel.call('led.state');
    await panel.call('led.color', { red: 1, green: 2, blue: 3 });
    await panel.call('projects.remove', { id: 'a/b' });
    await panel.call('journal.read', { limit: 5 });
    const body = new Uint8Array([1, 2]);
    await panel.call('projects.patch', { id: 'p', removed: ['a b', 'ä&'], sha256: 'f', body });
    await panel.call('stream.open', { id: 's', url: 'rtsp://c', sdp: 'v=0' });
    await panel.call('backup.restore', { body, 'x-passphrase': 'long enough' });
    assert.deepEqual(asked, [
      ['GET', calls['led.state'].path, undefined, '', 'Bearer t'],
      ['POST', calls['led.color'].path, 'application/json', '{"red":1,"green":2,"blue":3}', 'Bearer t'],
      ['DELETE', '/api/manage/projects/a%2Fb', undefined, '', 'Bearer t'],
      ['GET', '/api/manage/journal?limit=5', undefined, '', 'Bearer t'],
      [
        'PATCH',
        '/api/manage/projects/p?removed=a+b&removed=%C3%A4%26&sha256=f',
        'application/zip',
        '\u0001\u0002',
        'Bearer t',
      ],
      ['POST', '/api/stream/whep/s', 'application/json', '{"url":"rtsp://c","sdp":"v=0"}', 'Bearer t'],
      ['POST', '/api/manage/restore', 'application/zip', '\u0001\u0002', 'Bearer t'],
    ]);
    await assert.rejects(panel.callAny('projects.remove', {}), /"id" is needed/);
    await assert.rejects(panel.callAny('toString', {}), /no command/);
  });

  it('should give JSON, text and bytes as what they are', async () => {
    const panel = new Panel(
      await serve((request, response) => {
        if (request.url === '/metrics')
          return response.writeHead(200, { 'content-type': 'text/plain' }).end('a 1');
        if (request.url?.includes('screenshot'))
          return response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([137, 80]));
        return json(response, 200, { projects: [] });
      }),
    );
    assert.deepEqual(await panel.call('projects.list'), { projects: [] });
    assert.equal(await panel.call('metrics.read'), 'a 1');
    assert.deepEqual(await panel.call('kiosk.screenshot'), new Uint8Array([137, 80]));
  });

  it('should send a file while it is read', async () => {
    const panel = new Panel(
      await serve(async (request, response) =>
        json(response, 200, { length: (await buffer(request)).length }),
      ),
    );
    const body = new Blob([new Uint8Array(100_000)]).stream();
    assert.deepEqual(await panel.callAny('projects.install', { name: 'p', body }), { length: 100_000 });
  });

  it('should tell a refusal from a panel that is not there', async () => {
    const panel = new Panel(
      await serve((request, response) => {
        if (request.url?.includes('projects/gone'))
          return json(response, 404, { error: 'No project has this id.', code: 'PROJECT_NOT_FOUND' });
        if (request.url?.includes('led/color'))
          return json(response, 400, { error: 'Wrong.', code: 'INVALID_REQUEST', field: 'red' });
        if (request.url?.includes('projects/moved'))
          return response.writeHead(302, { location: 'http://192.0.2.1/' }).end();
        if (request.url?.includes('projects/cut')) {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
          return response.write('{', () => response.destroy());
        }
        return response.writeHead(502).end('<html>proxy</html>');
      }),
    );
    await assert.rejects(panel.call('projects.remove', { id: 'gone' }), {
      name: 'PanelError',
      code: 'PROJECT_NOT_FOUND',
      status: 404,
      message: 'No project has this id.',
    });
    const wrong = panel.call('led.color', { red: 1, green: 1, blue: 1 });
    await assert.rejects(wrong, (error) => error instanceof PanelError && error.field === 'red');
    // A token is never carried to where an answer points.
    for (const id of ['moved', 'cut', 'proxy'])
      await assert.rejects(panel.call('projects.remove', { id }), PanelUnreachable);
    await assert.rejects(new Panel('127.0.0.1:9', {}).call('led.state'), PanelUnreachable);
    const reason = new Error('enough');
    await assert.rejects(panel.call('led.state', {}, { signal: AbortSignal.abort(reason) }), reason);
  });

  it('should follow events and feeds until the signal or the end', async () => {
    const panel = new Panel(
      await serve((request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (request.url?.includes('log')) return response.end('event: log\ndata: {"msg":"one"}\n\n');
        response.write(':\n\nevent: snapshot\ndata: {"led":1}\n\nevent: gpio\ndata: {"pin":');
        setImmediate(() => response.write('2}\n\n'));
      }),
    );
    const ends = new AbortController();
    const seen: unknown[] = [];
    const following = (async () => {
      for await (const event of panel.events({ signal: ends.signal })) {
        seen.push(event);
        if (seen.length === 2) ends.abort(new Error('enough'));
      }
    })();
    await assert.rejects(following, /enough/);
    assert.deepEqual(seen, [
      { name: 'snapshot', payload: { led: 1 } },
      { name: 'gpio', payload: { pin: 2 } },
    ]);
    const lines: unknown[] = [];
    const log = (async () => {
      for await (const entry of panel.follow('log.read', {})) lines.push(entry);
    })();
    await assert.rejects(log, PanelUnreachable);
    assert.deepEqual(lines, [{ msg: 'one' }]);
  });

  it('should read events whatever the pieces they come in', async () => {
    const bytes = new TextEncoder().encode(
      'data: a\r\n\r\nevent: ä\r\ndata: 1\ndata:2\n\n: heartbeat\n\nevent: empty\n\nid: 5\ndata\n\ndata: cut',
    );
    for (let size = 1; size < bytes.length; size += 3) {
      const pieces = function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
      };
      const found = await all(eventsIn(ReadableStream.from(pieces())));
      assert.deepEqual(found, [
        { event: 'message', data: 'a' },
        { event: 'ä', data: '1\n2' },
        { event: 'message', data: '' },
      ]);
    }
  });

  it('security: should not keep a line without an end in memory', async () => {
    const endless = ReadableStream.from(
      (function* () {
        for (;;) yield new Uint8Array(1024 ** 2).fill(97);
      })(),
    );
    await assert.rejects(all(eventsIn(endless)), /without an end/);
  });
});
