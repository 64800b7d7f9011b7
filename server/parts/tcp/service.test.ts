import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { LocalTargets } from '../../platform/net/localTargets.ts';
import type { CertificateTrust } from '../../platform/net/trustedTls.ts';
import { ResourceScopes } from '../../platform/resourceScopes.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { until } from '../../testing/waiting.ts';
import type { TcpEvent } from './contract.ts';
import { TcpService } from './service.ts';
import { SocketLinks } from './socketLinks.ts';

const { signal } = new AbortController();

/** A caller that hears its events. */
class Caller {
  readonly call = { identity: {}, signal };
  readonly heard: TcpEvent[] = [];
  readonly leave: () => void;
  /** How it takes an event: at once, or by a promise. */
  takes: () => Promise<void> | undefined = () => undefined;

  constructor(holders: ResourceScopes, events: EventBus) {
    this.leave = holders.attend(this.call.identity);
    events.onAnyFor(this.call.identity, (_name, payload) => {
      this.heard.push(payload as TcpEvent);
      return this.takes();
    });
  }

  get states(): string[] {
    return this.heard.filter(({ hex }) => hex === undefined).map(({ state }) => state);
  }

  get received(): Buffer {
    return Buffer.from(this.heard.map(({ hex = '' }) => hex).join(''), 'hex');
  }
}

describe('TCP connections', () => {
  let events: EventBus;
  let holders: ResourceScopes;
  let tcp: TcpService;
  let caller: Caller;
  let verdict: 'trusted' | 'refused' | 'changed';
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  const judged: unknown[] = [];
  const pair = selfSigned('DNS:localhost');

  function start(clock: Clock = systemClock): void {
    const trust: CertificateTrust = {
      judge: (server, { fingerprint256 }, reason) => {
        judged.push([server, fingerprint256, reason]);
        return verdict;
      },
    };
    events = new EventBus(silentLogger());
    holders = new ResourceScopes(clock);
    const targets = new LocalTargets({ ownPorts: () => [8080], mayAskOurselves: true });
    tcp = new TcpService({ driver: new SocketLinks(trust), targets, events, holders, clock });
    caller = new Caller(holders, events);
  }

  beforeEach(() => {
    verdict = 'refused';
    judged.length = 0;
    start();
  });
  afterEach(async () => {
    await tcp.stop();
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });
  after(() => assert.equal(servers.length, 0));

  /** A device on a free port of this machine. */
  async function device(act: (socket: Socket) => void, server: Server = createServer()): Promise<number> {
    servers.push(server);
    server.on('connection', (socket) => sockets.push(socket.on('error', () => {})));
    server.on(server.listenerCount('secureConnection') > 0 ? 'secureConnection' : 'connection', act);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  const echo = (socket: Socket) => void socket.pipe(socket);
  const open = async (port: number, from = caller, host = '127.0.0.1', tls = false) =>
    (await tcp.open({ host, port, tls }, from.call)).id;

  test('should tell that it is open, what the device sends, and that it is closed', async () => {
    const id = await open(await device(echo));
    assert.deepEqual(caller.heard, [], 'the answer comes first');
    await until(() => caller.states.length === 1);
    assert.deepEqual(await tcp.send({ id, text: '%1POWR ?\r' }, caller.call), { id });
    await tcp.send({ id, hex: '00 ff' }, caller.call);
    await until(() => caller.received.length === 11);
    assert.equal(caller.received.toString('latin1'), '%1POWR ?\r\x00\xff');
    assert.deepEqual(await tcp.close({ id }, caller.call), { id });
    await until(() => caller.states.length === 2);
    assert.deepEqual(caller.heard.at(-1), { id, state: 'closed' });
    assert.equal(tcp.size, 0);
  });

  test('should send what was given before the connection was there, and before it was closed', async () => {
    const got: Buffer[] = [];
    const port = await device((socket) => void socket.on('data', (bytes) => got.push(bytes)));
    const id = await open(port);
    await tcp.send({ id, text: 'early' }, caller.call);
    await tcp.close({ id }, caller.call);
    await until(() => caller.states.includes('closed'));
    assert.equal(Buffer.concat(got).toString(), 'early');
  });

  test('should tell that nobody listens at the port', async () => {
    const port = await device(echo);
    servers.pop()?.close();
    const id = await open(port);
    await until(() => caller.heard.length > 0);
    assert.equal(caller.heard.length, 1);
    assert.deepEqual({ ...caller.heard[0], error: '' }, { id, state: 'failed', error: '' });
    assert.match(caller.heard[0]?.error ?? '', /ECONNREFUSED/);
  });

  test('should answer before it tells of an address that fails at once', async () => {
    const id = await open(9, caller, '255.255.255.255');
    assert.equal(caller.heard.length, 0);
    await until(() => caller.heard.length > 0);
    assert.equal(caller.heard[0]?.id, id);
    assert.equal(caller.heard[0]?.state, 'failed');
  });

  test('should give a device ten seconds to answer', async () => {
    const clock = new FakeClock();
    start(clock);
    // It takes the connection and never speaks TLS.
    const id = await open(await device(() => {}), caller, '127.0.0.1', true);
    await clock.advance(10_000);
    assert.deepEqual(caller.heard, [{ id, state: 'failed', error: 'The device did not answer in time.' }]);
    assert.equal(clock.pending, 0);
  });

  test('should take the rest of what a device sends that ends its half, and send it the rest of ours', async () => {
    const got: Buffer[] = [];
    const port = await device(
      (socket) => {
        socket.end('bye');
        socket.on('data', (bytes) => got.push(bytes));
      },
      createServer({ allowHalfOpen: true }),
    );
    const id = await open(port);
    const rest = 'x'.repeat(60_000);
    await tcp.send({ id, text: rest }, caller.call);
    await until(() => caller.states.includes('closed') || got.length > 0);
    sockets.at(-1)?.end();
    await until(() => caller.states.includes('closed'));
    assert.equal(caller.received.toString(), 'bye');
    await until(() => Buffer.concat(got).length === rest.length);
  });

  test('should cut a connection off that the device does not end five seconds after us', async () => {
    const clock = new FakeClock();
    start(clock);
    const id = await open(await device(() => {}, createServer({ allowHalfOpen: true })));
    await until(() => caller.states.includes('open'));
    await tcp.close({ id }, caller.call);
    await assert.rejects(tcp.send({ id, text: 'x' }, caller.call), { code: 'NOT_FOUND' });
    assert.equal(tcp.size, 1);
    await clock.advance(5_000);
    assert.deepEqual(caller.states, ['open', 'closed']);
    assert.equal(tcp.size, 0);
  });

  test('security: should keep at most 1 MiB for a device that never reads', async () => {
    const id = await open(await device((socket) => void socket.pause()));
    await until(() => caller.states.includes('open'));
    const send = () => tcp.send({ id, hex: '00'.repeat(65_536) }, caller.call);
    // The kernel takes some; then a full buffer remains, however often it is tried.
    let taken = 0;
    const refused = await (async () => {
      for (;;) {
        try {
          await send();
          taken++;
          assert.ok(taken < 1_000, 'it is never refused');
        } catch (error) {
          return error;
        }
      }
    })();
    assert.equal((refused as { code: string }).code, 'CONFLICT');
    assert.ok(taken >= 16, `${taken} x 64 KiB`);
    // Once the device reads, it goes on.
    sockets[0]?.resume();
    await until(async () =>
      send().then(
        () => true,
        () => false,
      ),
    );
  });

  test('security: should read no further while the caller does not take what 100 MB of a device bring', async () => {
    const size = 100 * 1024 * 1024;
    let sent = 0;
    const port = await device((socket) => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (sent < size && !socket.destroyed) {
          sent += piece.length;
          if (!socket.write(piece)) return void socket.once('drain', more);
        }
        socket.end();
      };
      more();
    });
    let go = () => {};
    const wait = new Promise<void>((resolve) => {
      go = resolve;
    });
    caller.takes = () => wait;
    const before = process.memoryUsage().rss;
    await open(port);
    await until(() => caller.heard.length > 0);
    // Until the device can send no more: what it has sent stands in buffers of the kernel.
    let last = -1;
    await until(
      () => {
        const stands = sent === last;
        last = sent;
        return stands;
      },
      'the device to stand',
      { everyMs: 500 },
    );
    assert.ok(sent < size / 2, `${sent} bytes were taken`);
    assert.ok(caller.heard.length <= 3, `${caller.heard.length} events`);
    assert.ok(process.memoryUsage().rss - before < 60 * 1024 * 1024);
    // A caller who takes them gets all of them.
    let got = caller.heard.reduce((sum, { hex = '' }) => sum + hex.length / 2, 0);
    caller.heard.length = 0;
    caller.takes = () => {
      const event = caller.heard.pop();
      got += (event?.hex ?? '').length / 2;
      if (event?.state === 'closed') caller.heard.push(event);
      return new Promise<void>((resolve) => setImmediate(resolve));
    };
    go();
    await until(() => caller.heard.length > 0, 'the end', { limitMs: 60_000 });
    assert.equal(got, size);
  });

  test('should tell the end after all that the device sent, however slowly the caller takes it', async () => {
    const port = await device((socket) => void socket.end('x'.repeat(50_000)));
    caller.takes = () => new Promise((resolve) => setTimeout(resolve, 20));
    await open(port);
    await until(() => caller.states.includes('closed'));
    assert.equal(caller.received.length, 50_000);
    assert.equal(caller.heard.at(-1)?.state, 'closed');
  });

  test('security: should let nobody else send, close or hear', async () => {
    const other = new Caller(holders, events);
    const id = await open(await device(echo));
    await until(() => caller.states.includes('open'));
    for (const call of [tcp.send({ id, text: 'x' }, other.call), tcp.close({ id }, other.call)])
      await assert.rejects(call, { code: 'NOT_FOUND' });
    await tcp.send({ id, text: 'x' }, caller.call);
    await until(() => caller.received.length === 1);
    assert.deepEqual(other.heard, []);
  });

  test('security: should end with its holder', async () => {
    const other = new Caller(holders, events);
    const ended: string[] = [];
    const port = await device((socket) => {
      socket.on('data', (bytes) => void socket.once('close', () => ended.push(bytes.toString())));
    });
    const ids = [await open(port), await open(port, other)];
    await tcp.send({ id: ids[0]!, text: 'page' }, caller.call);
    await tcp.send({ id: ids[1]!, text: 'token' }, other.call);
    await until(() => sockets.length === 2 && sockets.every(({ bytesRead }) => bytesRead > 0));
    caller.leave();
    await until(() => ended.length === 1);
    holders.end(other.call.identity);
    await until(() => ended.length === 2);
    assert.deepEqual(ended, ['page', 'token']);
    assert.equal(tcp.size, 0);
  });

  test('should refuse the 17th connection, and take one when another is closed', async () => {
    const port = await device(echo);
    const ids = await Promise.all(Array.from({ length: 16 }, () => open(port)));
    await assert.rejects(open(port), { code: 'CONFLICT' });
    await tcp.close({ id: ids[3]! }, caller.call);
    await until(() => tcp.size === 15);
    await open(port);
  });

  test('security: should go nowhere but to devices of the local network, nor to the panel itself', async () => {
    await assert.rejects(open(80, caller, '8.8.8.8'), { code: 'FORBIDDEN' });
    await assert.rejects(open(8080), { code: 'FORBIDDEN' });
    await assert.rejects(open(8080, caller, 'localhost'), { code: 'FORBIDDEN' });
    assert.equal(tcp.size, 0);
  });

  test('security: should send nothing to a TLS server whose certificate is neither trusted nor pinned', async () => {
    const got: Buffer[] = [];
    const port = await device((socket) => void socket.on('data', (bytes) => got.push(bytes)), tlsServer());
    const id = await open(port, caller, 'localhost', true);
    await tcp.send({ id, text: 'password' }, caller.call);
    await until(() => caller.states.length > 0);
    assert.equal(caller.heard[0]?.state, 'failed');
    assert.ok(caller.heard[0]?.error?.includes(pair.fingerprint));
    assert.deepEqual(judged, [
      [{ host: 'localhost', port }, pair.fingerprint, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ]);
    assert.equal(Buffer.concat(got).length, 0);
  });

  test('should speak over TLS to a server whose certificate is pinned', async () => {
    verdict = 'trusted';
    const id = await open(await device(echo, tlsServer()), caller, 'localhost', true);
    await tcp.send({ id, text: 'over TLS' }, caller.call);
    await until(() => caller.received.length === 8);
    assert.equal(caller.received.toString(), 'over TLS');
    await tcp.close({ id }, caller.call);
    await until(() => caller.states.includes('closed'));
  });

  test('should end all at the stop, and open nothing afterwards', async () => {
    const port = await device(echo);
    await open(port);
    await until(() => caller.states.includes('open'));
    await tcp.stop();
    assert.equal(tcp.size, 0);
    await assert.rejects(open(port), { code: 'SHUTTING_DOWN' });
    caller.leave();
    assert.equal(holders.size, 0);
  });

  function tlsServer(): Server {
    return createTlsServer({ key: pair.key, cert: pair.cert }, () => {});
  }
});
