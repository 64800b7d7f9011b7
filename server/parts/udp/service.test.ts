import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import type { LocalNetwork } from '../../platform/net/localTargets.ts';
import { ResourceScopes } from '../../platform/resourceScopes.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { UdpDriver, UdpPort } from './listeners.ts';
import { UdpService } from './service.ts';

const context = { identity: {}, signal: new AbortController().signal };

class FakeSocket implements UdpDriver {
  readonly name = 'fake';
  readonly sent: { hex: string; port: number; host: string; from?: number }[] = [];
  networks: LocalNetwork[] = [];
  fails: Error | undefined;

  async send(bytes: Uint8Array, port: number, host: string): Promise<void> {
    if (this.fails) throw this.fails;
    this.sent.push({ hex: Buffer.from(bytes).toString('hex'), port, host });
  }

  localNetworks(): readonly LocalNetwork[] {
    return this.networks;
  }

  readonly open = new Map<number, (bytes: Uint8Array, host: string) => void>();
  readonly joined: string[] = [];

  async listen(port: number, onDatagram: (bytes: Uint8Array, host: string) => void): Promise<UdpPort> {
    if (this.fails) throw this.fails;
    assert.ok(!this.open.has(port), 'a port is opened once');
    this.open.set(port, onDatagram);
    return {
      send: async (bytes, to, host) => {
        if (this.fails) throw this.fails;
        this.sent.push({ hex: Buffer.from(bytes).toString('hex'), port: to, host, from: port });
      },
      join: (group) => {
        if (this.fails) throw this.fails;
        this.joined.push(group);
      },
      close: async () => void this.open.delete(port),
    };
  }

  async stop(): Promise<void> {}
}

function service(driver: UdpDriver) {
  const log = silentLogger();
  const clock = new FakeClock();
  const holders = new ResourceScopes(clock);
  const events = new EventBus(log);
  const udp = new UdpService({ driver, events, holders, clock, log, ownPorts: () => [5353, 5060] });
  return { udp, events, holders, clock };
}

describe('UDP service', () => {
  test('should send hex and answer as the contract says', async () => {
    const driver = new FakeSocket();
    const udp = service(driver).udp;
    const answer = await udp.send({ host: '192.168.1.9', port: 9, hex: 'aB 01  ff' }, context);
    assert.deepEqual(answer, { status: 'ok', host: '192.168.1.9', port: 9, sent: 3 });
    assert.deepEqual(driver.sent, [{ hex: 'ab01ff', port: 9, host: '192.168.1.9' }]);
  });

  test('should send text as UTF-8 and count its bytes', async () => {
    const driver = new FakeSocket();
    const answer = await service(driver).udp.send({ host: '10.0.0.1', port: 9, text: 'é€' }, context);
    assert.equal(answer.sent, 5);
    assert.equal(driver.sent[0]?.hex, 'c3a9e282ac');
  });

  test('should refuse targets outside the local network with FORBIDDEN and send nothing (security)', async () => {
    const driver = new FakeSocket();
    const udp = service(driver).udp;
    await assert.rejects(udp.send({ host: '8.8.8.8', port: 53, hex: '00' }, context), {
      code: 'FORBIDDEN',
      message: /8\.8\.8\.8/,
    });
    assert.deepEqual(driver.sent, []);
    driver.networks = [{ address: '8.8.8.1', prefixLength: 24 }];
    await udp.send({ host: '8.8.8.8', port: 53, hex: '00' }, context);
    assert.equal(driver.sent.length, 1);
  });

  test('should refuse more than 65,507 bytes, naming the field', async () => {
    const udp = service(new FakeSocket()).udp;
    const target = { host: '127.0.0.1', port: 9 };
    assert.equal((await udp.send({ ...target, hex: '00'.repeat(65_507) }, context)).sent, 65_507);
    await assert.rejects(udp.send({ ...target, hex: '00'.repeat(65_508) }, context), {
      code: 'INVALID_REQUEST',
      field: 'hex',
    });
    await assert.rejects(udp.send({ ...target, text: '€'.repeat(21_836) }, context), {
      code: 'INVALID_REQUEST',
      field: 'text',
    });
  });

  test('should answer HARDWARE_ERROR with the errno', async () => {
    const driver = new FakeSocket();
    driver.fails = errnoError('ENETUNREACH', 'send');
    await assert.rejects(service(driver).udp.send({ host: '10.0.0.1', port: 9, hex: '' }, context), {
      code: 'HARDWARE_ERROR',
      message: /ENETUNREACH/,
    });
  });

  test('should stop twice and before start, and refuse calls afterwards', async () => {
    const udp = service(new FakeSocket()).udp;
    await udp.stop();
    await udp.start();
    await udp.stop();
    await udp.stop();
    await assert.rejects(udp.send({ host: '10.0.0.1', port: 9, hex: '' }, context), {
      code: 'SHUTTING_DOWN',
    });
  });
});

describe('UDP listeners', () => {
  const page = { identity: { id: 'page' }, signal: context.signal };
  const caller = { identity: { id: 'token' }, signal: context.signal };

  /** A service with two holders that hear their events. */
  function house() {
    const driver = new FakeSocket();
    const parts = service(driver);
    const heard = { page: [] as unknown[], caller: [] as unknown[], others: [] as unknown[] };
    const leave = {
      page: parts.holders.attend(page.identity),
      caller: parts.holders.attend(caller.identity),
    };
    parts.events.onAnyFor(page.identity, (_name, payload) => void heard.page.push(payload));
    parts.events.onAnyFor(caller.identity, (_name, payload) => void heard.caller.push(payload));
    parts.events.onAny((_name, payload) => heard.others.push(payload));
    const receive = (port: number, text: string) => driver.open.get(port)?.(Buffer.from(text), '192.168.1.9');
    return { driver, ...parts, heard, leave, receive };
  }

  test('security: should tell a datagram only to those who listen to its port', async () => {
    const { udp, heard, receive } = house();
    assert.deepEqual(await udp.listen({ port: 6454 }, page), { status: 'ok', port: 6454 });
    receive(6454, 'Art');
    assert.deepEqual(heard, {
      page: [{ port: 6454, host: '192.168.1.9', hex: '417274' }],
      caller: [],
      others: [],
    });
  });

  test('should share a port between listeners, and close it with the last of them', async () => {
    const { udp, driver, heard, receive } = house();
    await udp.listen({ port: 6454 }, page);
    await udp.listen({ port: 6454 }, caller);
    await udp.listen({ port: 6454 }, caller);
    receive(6454, 'a');
    assert.equal(heard.page.length + heard.caller.length, 2);
    await udp.unlisten({ port: 6454 }, page);
    receive(6454, 'b');
    assert.equal(heard.page.length, 1);
    assert.equal(heard.caller.length, 2);
    assert.deepEqual(await udp.unlisten({ port: 6454 }, caller), { status: 'ok', port: 6454 });
    assert.equal(driver.open.size, 0);
    await udp.unlisten({ port: 6454 }, caller);
  });

  test('security: should send from a port that the caller hears, and from no other', async () => {
    const { udp, driver, holders, leave, clock } = house();
    await udp.listen({ port: 47808 }, page);
    const target = { host: '192.168.1.9', port: 47808, hex: '81' };
    const answer = await udp.send({ ...target, from: 47808 }, page);
    assert.deepEqual(answer, { status: 'ok', host: '192.168.1.9', port: 47808, sent: 1 });
    assert.deepEqual(driver.sent, [{ hex: '81', port: 47808, host: '192.168.1.9', from: 47808 }]);
    const refused = (from: number, who: typeof page) =>
      assert.rejects(udp.send({ ...target, from }, who), {
        code: 'NOT_FOUND',
        field: 'from',
        message: /udp\.listen/,
      });
    await refused(47808, caller);
    await refused(47809, page);
    await assert.rejects(udp.send({ ...target, host: '8.8.8.8', from: 47808 }, page), { code: 'FORBIDDEN' });
    driver.fails = errnoError('ENETUNREACH', 'send');
    await assert.rejects(udp.send({ ...target, from: 47808 }, page), {
      code: 'HARDWARE_ERROR',
      message: /ENETUNREACH/,
    });
    driver.fails = undefined;
    leave.page();
    await clock.advance(0);
    await refused(47808, page);
    // A caller without events has the port as long as it uses it.
    const silent = { identity: { id: 'silent' }, signal: context.signal };
    await udp.listen({ port: 47808 }, silent);
    for (let minute = 0; minute < 3; minute++) {
      await clock.advance(59_000);
      await udp.send({ ...target, from: 47808 }, silent);
    }
    await clock.advance(60_000);
    await refused(47808, silent);
    holders.end(silent.identity);
    assert.equal(driver.sent.length, 4);
  });

  test('security: should end a listener with its holder', async () => {
    const { udp, driver, holders, leave, clock } = house();
    await udp.listen({ port: 6454 }, page);
    await udp.listen({ port: 6455 }, caller);
    leave.page();
    await clock.advance(0);
    assert.deepEqual([...driver.open.keys()], [6455]);
    holders.end(caller.identity);
    await clock.advance(0);
    assert.equal(driver.open.size, 0);
    await udp.listen({ port: 6456 }, caller);
    await clock.advance(0);
    assert.equal(driver.open.size, 0, 'a holder that has ended gets nothing any more');
  });

  test('should hear at most eight ports, each as often as wanted', async () => {
    const { udp } = house();
    for (let port = 7000; port < 7008; port++) await udp.listen({ port }, page);
    await udp.listen({ port: 7003 }, caller);
    await assert.rejects(udp.listen({ port: 7008 }, caller), { code: 'CONFLICT' });
    await udp.unlisten({ port: 7000 }, page);
    await udp.listen({ port: 7008 }, caller);
  });

  test('security: should refuse a port of the panel itself', async () => {
    const { udp, driver } = house();
    for (const port of [5353, 5060]) await assert.rejects(udp.listen({ port }, page), { code: 'FORBIDDEN' });
    assert.equal(driver.open.size, 0);
  });

  test('should say that a port is in use by another program, and what else the system says', async () => {
    const { udp, driver } = house();
    driver.fails = errnoError('EADDRINUSE', 'bind');
    await assert.rejects(udp.listen({ port: 6454 }, page), { code: 'PORT_BUSY', message: /6454/ });
    driver.fails = errnoError('EMFILE', 'bind');
    await assert.rejects(udp.listen({ port: 6454 }, page), { code: 'HARDWARE_ERROR', message: /EMFILE/ });
    driver.fails = undefined;
    await udp.listen({ port: 6454 }, page);
  });

  test('should join a multicast group once, and close the port again when it cannot', async () => {
    const { udp, driver } = house();
    await udp.listen({ port: 3671, group: '224.0.23.12' }, page);
    await udp.listen({ port: 3671, group: '224.0.23.12' }, caller);
    assert.deepEqual(driver.joined, ['224.0.23.12']);
    driver.listen = async () => ({
      send: async () => {},
      join: () => {
        throw errnoError('ENODEV', 'addMembership');
      },
      close: async () => void driver.open.delete(3672),
    });
    driver.open.set(3672, () => {});
    await assert.rejects(udp.listen({ port: 3672, group: '224.0.23.12' }, page), { code: 'HARDWARE_ERROR' });
    assert.ok(!driver.open.has(3672));
  });

  test('security: should tell at most 1,000 datagrams of a port in a second', async () => {
    const { udp, heard, receive, clock } = house();
    await udp.listen({ port: 6454 }, page);
    for (let count = 0; count < 5_000; count++) receive(6454, 'x');
    assert.equal(heard.page.length, 1_000);
    await clock.advance(1_000);
    receive(6454, 'x');
    assert.equal(heard.page.length, 1_001);
  });

  test('security: should drop what a slow reader does not take, without others waiting for it', async () => {
    const { udp, events, holders, driver, receive, clock } = house();
    const slow = { identity: { id: 'slow' }, signal: context.signal };
    holders.attend(slow.identity);
    let reads = () => {};
    const reading = new Promise<void>((resolve) => {
      reads = resolve;
    });
    let told = 0;
    events.onAnyFor(slow.identity, () => {
      told++;
      return reading;
    });
    await udp.listen({ port: 6454 }, slow);
    for (let count = 0; count < 100; count++) receive(6454, 'x'.repeat(10_000));
    assert.equal(told, 13, 'about 256 KiB of hex');
    reads();
    await clock.advance(1_000);
    receive(6454, 'y');
    assert.equal(told, 14);
    assert.equal(driver.open.size, 1);
  });

  test('should close all ports when it stops', async () => {
    const { udp, driver, holders, leave } = house();
    await udp.listen({ port: 6454 }, page);
    await udp.listen({ port: 6455 }, caller);
    await udp.stop();
    assert.equal(driver.open.size, 0);
    await assert.rejects(udp.listen({ port: 6454 }, page), { code: 'SHUTTING_DOWN' });
    leave.page();
    leave.caller();
    assert.equal(holders.size, 0);
  });
});
