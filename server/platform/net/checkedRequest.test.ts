import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { afterEach, describe, mock, test } from 'node:test';
import { ownAddresses } from './addresses.ts';
import { type ClosedPorts, fetchBounded } from './checkedRequest.ts';

describe('fetching from an address of a stranger', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<number> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return (server.address() as AddressInfo).port;
  }
  const limits = { maxBytes: 1000, timeoutMs: 2_000, closedPorts: [] as ClosedPorts };
  const fails = (message: RegExp) => ({ code: 'MEDIA_UNREACHABLE', message });
  /** A name service that gives these addresses, one list after the other. */
  const names = (...lists: string[][]) =>
    ((_name: string, _options: unknown, callback: (e: null, found: unknown) => void) => {
      const list = lists.length > 1 ? lists.shift()! : lists[0]!;
      callback(
        null,
        list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    }) as never;

  test('security: should send a login to its own server alone, and over no redirect to another', async () => {
    const came: (string | undefined)[] = [];
    const theirs = await serve((request, response) => {
      came.push(request.headers.authorization);
      response.end('stolen');
    });
    const port = await serve((request, response) => {
      came.push(request.headers.authorization);
      if (request.url === '/own') response.writeHead(302, { location: '/there' }).end();
      else if (request.url === '/there') response.end('own');
      else response.writeHead(302, { location: `http://127.0.0.1:${theirs}/` }).end();
    });
    const login = { username: 'pänel', password: 'a:b' };
    const loginOf = (origin: string) => (origin === `http://127.0.0.1:${port}` ? login : undefined);
    const basic = `Basic ${Buffer.from('pänel:a:b').toString('base64')}`;
    await fetchBounded(`http://127.0.0.1:${port}/own`, { ...limits, loginOf });
    assert.deepEqual(came.splice(0), [basic, basic]);
    await fetchBounded(`http://127.0.0.1:${port}/away`, { ...limits, loginOf });
    assert.deepEqual(came.splice(0), [basic, undefined]);
    // A call may bring its own.
    await fetchBounded(`http://a:b@127.0.0.1:${port}/there`, { ...limits, loginOf });
    assert.deepEqual(came, [`Basic ${Buffer.from('a:b').toString('base64')}`]);
  });

  test('should give the bytes and the type, also after a redirect', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/old') return response.writeHead(302, { location: '/new' }).end();
      response.writeHead(200, { 'content-type': 'Audio/WAV; x=1' }).end('sound');
    });
    assert.deepEqual(await fetchBounded(`http://127.0.0.1:${port}/old`, limits), {
      bytes: Buffer.from('sound'),
      type: 'audio/wav',
    });
  });

  test('should end at the first byte too many, announced or not (security)', async () => {
    let sent = 0;
    const port = await serve((request, response) => {
      if (request.url === '/announced')
        return response.writeHead(200, { 'content-length': 10 ** 9 }).write('x');
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1000))) sent += 1000;
      };
      response.on('drain', more);
      more();
    });
    await assert.rejects(fetchBounded(`http://127.0.0.1:${port}/announced`, limits), fails(/larger than/));
    await assert.rejects(fetchBounded(`http://127.0.0.1:${port}/endless`, limits), fails(/larger than/));
    assert.ok(sent < 10_000_000);
  });

  test('should end a server that is slow or silent in time (security)', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/silent') return;
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    for (const path of ['silent', 'drip']) {
      const began = performance.now();
      const short = { ...limits, timeoutMs: 200 };
      await assert.rejects(
        fetchBounded(`http://127.0.0.1:${port}/${path}`, short),
        fails(/longer than 0.2 s/),
      );
      assert.ok(performance.now() - began < 1_000);
    }
  });

  test("should never ask the panel's own server, by no address of this machine (security)", async () => {
    let asked = 0;
    const port = await serve((_request, response) => {
      asked++;
      response.end('secret');
    }, '::');
    const own = ownAddresses().map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
    const hosts = [
      '127.0.0.1',
      '127.1.2.3',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '[::]',
      '0x7f.1',
    ];
    for (const host of [...hosts, ...own.filter((address) => !address.includes('fe80'))]) {
      const fetched = fetchBounded(`http://${host}:${port}/`, { ...limits, closedPorts: [port] });
      await assert.rejects(fetched, fails(/own server/), host);
    }
    const named = { ...limits, closedPorts: [port], lookup: names(['127.0.0.1']) };
    await assert.rejects(fetchBounded(`http://panel.example:${port}/`, named), fails(/own server/));
    assert.equal(asked, 0);
  });

  test('security: should ask no port of this machine where all are closed, by no name, address or redirect', async () => {
    let asked = 0;
    const port = await serve((_request, response) => {
      asked++;
      response.end('secret');
    }, '::');
    const all = { ...limits, closedPorts: 'all' as const };
    const own = ownAddresses()
      .filter(({ address }) => !address.startsWith('fe80'))
      .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
    const loopback = [
      '127.0.0.1',
      '127.1.2.3',
      '127.1',
      '2130706433',
      '0x7f.1',
      '017700000001',
      '0.0.0.0',
      '0',
    ];
    const six = ['[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::]'];
    for (const host of [...loopback, ...six, ...own, 'localhost', 'LOCALHOST'])
      await assert.rejects(fetchBounded(`http://${host}:${port}/`, all), fails(/this panel itself/), host);
    for (const address of [...own, '127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0']) {
      const plain = address.replace(/[[\]]/g, '');
      for (const lists of [[plain], ['192.0.2.1', plain]])
        await assert.rejects(
          fetchBounded(`http://media.example:${port}/`, { ...all, lookup: names(lists) }),
          fails(/this panel itself/),
          lists.join(),
        );
    }
    assert.equal(asked, 0);
  });

  test('security: should follow no redirect to this machine where all its ports are closed', async (t) => {
    let asked = 0;
    const port = await serve((_request, response) => {
      asked++;
      response.end('secret');
    });
    const outside = ownAddresses().find(({ isInternal, family }) => !isInternal && family === 'IPv4');
    if (outside === undefined) return t.skip('this machine has no network');
    // Its own address stands for another machine's while it does not know that it has it.
    t.mock.method(os, 'networkInterfaces', () => ({}));
    syncBuiltinESMExports();
    t.after(() => {
      mock.restoreAll();
      syncBuiltinESMExports();
    });
    const targets = [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `media.example:${port}`];
    let hops = 0;
    const elsewhere = await serve(
      (_request, response) => response.writeHead(302, { location: `http://${targets[hops++]}/` }).end(),
      '0.0.0.0',
    );
    const all = { ...limits, closedPorts: 'all' as const, lookup: names(['127.0.0.1']) };
    for (const target of targets)
      await assert.rejects(
        fetchBounded(`http://${outside.address}:${elsewhere}/`, all),
        fails(/this panel itself/),
        target,
      );
    assert.deepEqual([hops, asked], [targets.length, 0]);
  });

  test('should not be led to a service of this machine by a redirect or a name (security)', async () => {
    let asked = 0;
    const port = await serve((_request, response) => {
      asked++;
      response.end('secret');
    });
    const reply = await serve((_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
    );
    for (const lists of [['127.0.0.1'], ['::1'], ['0.0.0.0'], ['192.0.2.1', '127.0.0.1']]) {
      const named = { ...limits, lookup: names(lists) };
      await assert.rejects(fetchBounded(`http://media.example:${port}/`, named), fails(/this panel itself/));
    }
    const [outside] = ownAddresses().filter(({ isInternal, family }) => !isInternal && family === 'IPv4');
    if (outside) {
      const open = await serve(
        (_request, response) => response.writeHead(302, { location: `http://localhost:${port}/` }).end(),
        '0.0.0.0',
      );
      await assert.rejects(
        fetchBounded(`http://${outside.address}:${open}/`, limits),
        fails(/this panel itself/),
      );
    }
    assert.equal(asked, 0);
    // Who names this machine means it, and may be led on within it.
    assert.equal((await fetchBounded(`http://127.0.0.1:${reply}/`, limits)).bytes.toString(), 'secret');
    const elsewhere = await serve((_request, response) =>
      response.writeHead(302, { location: `http://media.example:${port}/` }).end(),
    );
    const named = { ...limits, lookup: names(['127.0.0.1']) };
    await assert.rejects(fetchBounded(`http://127.0.0.1:${elsewhere}/`, named), fails(/this panel itself/));
  });

  test('should connect to the address that was checked (security)', async () => {
    const port = await serve((_request, response) => response.end('secret'));
    // The second answer of the name service is never asked for.
    const rebinding = { ...limits, timeoutMs: 300, lookup: names(['192.0.2.1'], ['127.0.0.1']) };
    await assert.rejects(fetchBounded(`http://media.example:${port}/`, rebinding), {
      code: 'MEDIA_UNREACHABLE',
    });
  });

  test('should follow a few redirects, to http and https alone (security)', async () => {
    const port = await serve((request, response) =>
      response.writeHead(302, { location: request.url === '/' ? '/' : `${request.url!.slice(1)}` }).end(),
    );
    await assert.rejects(fetchBounded(`http://127.0.0.1:${port}/`, limits), fails(/more than 5 times/));
    for (const target of ['file:///etc/passwd', 'data:,x', 'ftp://127.0.0.1/'])
      await assert.rejects(fetchBounded(`http://127.0.0.1:${port}/${target}`, limits), fails(/only http/));
    await assert.rejects(fetchBounded('file:///etc/passwd', limits), fails(/only http/));
  });

  test('should refuse a packed answer, and say what a server answers (security)', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/gone') return response.writeHead(404).end();
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    });
    await assert.rejects(fetchBounded(`http://127.0.0.1:${port}/`, limits), fails(/packs/));
    await assert.rejects(fetchBounded(`http://127.0.0.1:${port}/gone`, limits), fails(/404/));
    await assert.rejects(fetchBounded('http://127.0.0.1:1/', limits), fails(/ECONNREFUSED/));
  });

  test('should end with the reason of its caller', async () => {
    const port = await serve(() => {});
    const caller = new AbortController();
    const fetched = fetchBounded(`http://127.0.0.1:${port}/`, { ...limits, signal: caller.signal });
    caller.abort(new Error('gone'));
    await assert.rejects(fetched, /gone/);
  });
});
