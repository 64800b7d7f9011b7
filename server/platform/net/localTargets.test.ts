import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { describe, test } from 'node:test';
import { isLocalTarget, LocalTargets } from './localTargets.ts';

describe('security: addresses of the local network', () => {
  const none = () => [];
  for (const host of [
    ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
    ['169.254.0.1', '169.254.255.255', '127.0.0.1', '127.255.255.255', '255.255.255.255'],
    ['224.0.0.0', '224.0.0.251', '239.255.255.255'],
  ].flat()) {
    test(`should allow ${host}`, () => assert.ok(isLocalTarget(host, none)));
  }
  for (const host of [
    ['8.8.8.8', '1.1.1.1', '0.0.0.0', '9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0'],
    ['192.167.255.255', '192.169.0.0', '169.253.255.255', '169.255.0.0', '126.255.255.255', '128.0.0.0'],
    ['223.255.255.255', '240.0.0.0', '255.255.255.254', '100.64.0.1', '203.0.113.5'],
  ].flat()) {
    test(`should refuse ${host}`, () => assert.ok(!isLocalTarget(host, none)));
  }

  test('should allow a public network that the panel itself is on, with its directed broadcast', () => {
    const on = () => [{ address: '203.0.113.77', prefixLength: 25 }];
    assert.ok(isLocalTarget('203.0.113.1', on));
    assert.ok(isLocalTarget('203.0.113.127', on));
    assert.ok(!isLocalTarget('203.0.113.128', on));
  });
});

describe('targets of connections', () => {
  const { signal } = new AbortController();
  /** A name service that gives another answer each time. */
  function names(...answers: (readonly string[])[]) {
    const asked: string[] = [];
    const answer = (name: string, _options: object, callback: (...result: unknown[]) => void) => {
      asked.push(name);
      const addresses = answers.shift();
      setImmediate(() =>
        addresses === undefined
          ? callback(new Error('ENOTFOUND'))
          : callback(
              null,
              addresses.map((address) => ({ address, family: 4 })),
            ),
      );
    };
    return { asked, lookup: answer as unknown as typeof lookup };
  }
  const panel = (options: Partial<ConstructorParameters<typeof LocalTargets>[0]> = {}) =>
    new LocalTargets({
      ownPorts: () => [8080, 5353],
      mayAskOurselves: false,
      networks: () => [
        { address: '127.0.0.1', prefixLength: 8 },
        { address: '192.168.1.5', prefixLength: 24 },
      ],
      ...options,
    });

  test('should answer the address of a device, by address or by name', async () => {
    assert.equal(await panel().judged('192.168.1.9', 80, signal), '192.168.1.9');
    const { lookup } = names(['192.168.1.40', '192.168.1.41']);
    assert.equal(await panel({ lookup }).judged('projector.lan', 4352, signal), '192.168.1.40');
  });

  test('security: should refuse addresses outside the local network, in every spelling', async () => {
    for (const host of ['8.8.8.8', '::1', '::ffff:192.168.1.9', 'fd00::1'])
      await assert.rejects(panel().judged(host, 80, signal), { code: 'FORBIDDEN' }, host);
    const { lookup } = names(['8.8.8.8']);
    await assert.rejects(panel({ lookup }).judged('evil.example', 80, signal), { code: 'FORBIDDEN' });
  });

  test('security: should refuse a name as soon as one of its addresses is outside', async () => {
    const { lookup } = names(['192.168.1.40', '8.8.8.8']);
    await assert.rejects(panel({ lookup }).judged('both.example', 80, signal), { code: 'FORBIDDEN' });
  });

  test('security: should resolve a name once, and give out the address that was judged', async () => {
    const { lookup, asked } = names(['192.168.1.40'], ['8.8.8.8']);
    assert.equal(await panel({ lookup }).judged('rebinding.example', 80, signal), '192.168.1.40');
    assert.deepEqual(asked, ['rebinding.example']);
  });

  test('security: should never lead to a port of the panel itself, by any of its addresses', async () => {
    const desk = panel({ mayAskOurselves: true });
    for (const host of ['127.0.0.1', '127.9.9.9', '192.168.1.5', '0.0.0.0'])
      await assert.rejects(desk.judged(host, 8080, signal), { code: 'FORBIDDEN', message: /itself/ }, host);
    assert.equal(await desk.judged('192.168.1.9', 8080, signal), '192.168.1.9');
  });

  test('security: should lead to this machine on a simulated board alone', async () => {
    const { lookup } = names(['127.0.0.1'], ['127.0.0.1']);
    for (const host of ['127.0.0.1', '192.168.1.5', 'localhost'])
      await assert.rejects(panel({ lookup }).judged(host, 4352, signal), { code: 'FORBIDDEN' }, host);
    const desk = panel({ mayAskOurselves: true, lookup });
    assert.equal(await desk.judged('127.0.0.1', 4352, signal), '127.0.0.1');
    assert.equal(await desk.judged('localhost', 4352, signal), '127.0.0.1');
  });

  test('should follow the networks of the panel within a second, and ask the kernel no oftener', async () => {
    let now = 0;
    let asked = 0;
    let prefixLength = 24;
    const networks = () => {
      asked++;
      return [{ address: '203.0.113.5', prefixLength }];
    };
    const moving = panel({ networks, now: () => now });
    for (let call = 0; call < 100; call++) await moving.judged('203.0.113.9', 80, signal);
    assert.equal(asked, 1);
    prefixLength = 30;
    now = 1_000;
    await assert.rejects(moving.judged('203.0.113.9', 80, signal), { code: 'FORBIDDEN' });
  });

  test('should say that a name is not known, and let a caller go that hangs up', async () => {
    await assert.rejects(panel({ lookup: names().lookup }).judged('nobody.lan', 80, signal), {
      code: 'HARDWARE_ERROR',
      message: /nobody\.lan/,
    });
    const gone = new AbortController();
    const never = (() => {}) as unknown as typeof lookup;
    const waiting = panel({ lookup: never }).judged('slow.lan', 80, gone.signal);
    gone.abort(new Error('hung up'));
    await assert.rejects(waiting, /hung up/);
  });
});
