import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { commands } from '../../contract/commands.ts';
import { settled } from '../../testing/fakeClock.ts';
import { context, port, portForTests, type TestPort } from '../testing/testPort.ts';

const { signal } = context;
const line = { port, baudRate: 9600 };
const page = { signal, identity: { id: 'page', name: 'http://one.localhost' } };
const otherPage = { signal, identity: { id: 'page', name: 'http://two.localhost' } };
const token = { signal, identity: { id: 't1', name: 'dashboard' } };

describe('reads that wait for more than a pause', () => {
  let { tty, clock, serial, write } = {} as TestPort;
  portForTests((opened) => {
    ({ tty, clock, serial, write } = opened);
  });
  beforeEach(() => serial.start());

  const read = (wanted: { until?: string; length?: number; timeout?: number }) =>
    serial.read({ ...line, timeout: 1_000, ...wanted }, context);

  test('should return what came up to the delimiter at once, and keep the rest', async () => {
    await write('00');
    const reading = read({ until: '0d 0A' });
    await settled();
    tty.send('POWR=1\r');
    await clock.advance(300);
    tty.send('\nINPT=2\r\nVO');
    assert.equal((await reading).data, 'POWR=1\r\n');
    assert.equal((await read({ until: '0D0A' })).data, 'INPT=2\r\n');
    assert.equal((await read({ timeout: 0 })).data, 'VO');
  });

  test('should return so many bytes at once, and keep the rest', async () => {
    await write('00');
    const reading = read({ length: 4 });
    await settled();
    tty.send('abc');
    await clock.advance(500);
    tty.send('defg');
    assert.equal((await reading).data, 'abcd');
    assert.equal((await read({ timeout: 0 })).data, 'efg');
  });

  for (const wanted of [{ until: '0D' }, { length: 9 }]) {
    test(`should return what is there at the timeout without ${JSON.stringify(wanted)}`, async () => {
      const reading = read({ ...wanted, timeout: 700 });
      await clock.advance(100);
      tty.send('half');
      await clock.advance(599);
      tty.send(' a');
      await clock.advance(1);
      assert.equal((await reading).data, 'half a');
    });
  }

  test('should find a delimiter among 64 KiB that came in pieces', async () => {
    await write('00');
    const reading = read({ until: 'FF FF', timeout: 60_000 });
    await settled();
    for (let piece = 0; piece < 100; piece++) tty.listener?.onData(new Uint8Array(1_000).fill(piece));
    tty.listener?.onData(Uint8Array.of(255));
    await settled();
    tty.listener?.onData(Uint8Array.of(255, 7));
    const bytes = Buffer.from((await reading).hex, 'hex');
    assert.deepEqual([...bytes.subarray(-3)], [99, 255, 255]);
    assert.equal((await read({ timeout: 0 })).hex, '07');
  });

  test('should leave all to the next read when the caller leaves', async () => {
    const caller = new AbortController();
    const reading = serial.read({ ...line, timeout: 1_000, until: '0D' }, { signal: caller.signal });
    await clock.advance(10);
    tty.send('kept');
    caller.abort(new Error('gone'));
    await assert.rejects(reading, /gone/);
    assert.equal((await read({ timeout: 0 })).data, 'kept');
  });

  test('should refuse a delimiter of more than 64 bytes, and both at once', () => {
    const { params } = commands['serial.read'];
    const call = { ...line, timeout: 0 };
    assert.ok(params.safeParse({ ...call, until: '0D'.repeat(64) }).success);
    assert.ok(!params.safeParse({ ...call, until: '0D'.repeat(65) }).success);
    assert.ok(!params.safeParse({ ...call, until: '' }).success);
    assert.ok(!params.safeParse({ ...call, until: '0D', length: 1 }).success);
    assert.ok(!params.safeParse({ ...call, length: 65_537 }).success);
  });
});

describe('several readers of one port', () => {
  let { tty, clock, serial, states } = {} as TestPort;
  portForTests((opened) => {
    ({ tty, clock, serial, states } = opened);
  });
  beforeEach(() => serial.start());

  const now = { ...line, timeout: 0 };

  test('should give each page and each token all that arrives from its first call on', async () => {
    await serial.read(now, page);
    tty.send('one ');
    await serial.read(now, token);
    tty.send('two');
    await clock.advance(20);
    assert.equal((await serial.read(now, token)).data, 'two');
    assert.equal((await serial.read(now, page)).data, 'one two');
    assert.equal((await serial.read(now, otherPage)).data, '');
    assert.equal((await serial.read(now, page)).data, '');
  });

  test('should let one write while another waits for bytes', async () => {
    const reading = serial.read({ ...line, timeout: 60_000 }, page);
    await serial.write({ ...line, hex: '01' }, token);
    assert.deepEqual(tty.calls, ['open 9600', 'write 01']);
    tty.send('ok');
    await clock.advance(20);
    assert.equal((await reading).data, 'ok');
    assert.equal((await serial.read(now, token)).data, 'ok');
  });

  test('should end the read of one with what is there when another closes the port', async () => {
    const reading = serial.read({ ...line, timeout: 60_000, until: '0D' }, page);
    await settled();
    tty.send('ha');
    await serial.close({ port }, token);
    assert.equal((await reading).data, 'ha');
    assert.deepEqual(states(), ['open', 'closed']);
  });

  test('should forget the place of whoever called longest ago, beyond 128', async () => {
    await serial.read(now, page);
    for (let id = 0; id < 127; id++) await serial.read(now, { signal, identity: { id: `t${id}`, name: '' } });
    tty.send('x');
    await clock.advance(20);
    assert.equal((await serial.read(now, page)).data, 'x');
    tty.send('y');
    for (let id = 200; id < 329; id++)
      await serial.read(now, { signal, identity: { id: `t${id}`, name: '' } });
    assert.equal((await serial.read(now, page)).data, '');
  });
});

describe('how a line is set', () => {
  let { tty, clock, serial } = {} as TestPort;
  portForTests((opened) => {
    ({ tty, clock, serial } = opened);
  });
  beforeEach(() => serial.start());

  test('should open as the call says, and anew when another call says otherwise', async () => {
    const odd = { dataBits: 7, parity: 'even', stopBits: 2, flowControl: 'software' } as const;
    await serial.write({ ...line, ...odd, hex: '01' }, context);
    await serial.read({ ...line, ...odd, timeout: 0 }, context);
    await serial.write({ ...line, hex: '02' }, context);
    const expected = ['open 9600 7E2 software', 'write 01', 'close', 'open 9600', 'write 02'];
    assert.deepEqual(tty.calls, expected);
  });

  test('should hold a break for as long as asked', async () => {
    const held = serial.sendBreak({ ...line, ms: 250 }, context);
    await clock.advance(249);
    assert.deepEqual(tty.calls, ['open 9600', 'break begins']);
    await clock.advance(1);
    assert.deepEqual(await held, { status: 'ok', port });
    assert.deepEqual(tty.calls, ['open 9600', 'break begins', 'break ends']);
  });

  test('should end a break whose caller is gone', async () => {
    const caller = new AbortController();
    const held = serial.sendBreak({ ...line, ms: 5_000 }, { signal: caller.signal });
    await settled();
    caller.abort(new Error('gone'));
    await assert.rejects(held, /gone/);
    await settled();
    assert.equal(tty.calls.at(-1), 'break ends');
  });
});

describe('the monitor', () => {
  let { tty, clock, serial, write } = {} as TestPort;
  portForTests((opened) => {
    ({ tty, clock, serial, write } = opened);
  });
  beforeEach(() => serial.start());

  test('should tell both directions with their time, a piece for each pause', async () => {
    const seen: unknown[] = [];
    await write('01 ab');
    const end = serial.monitor({ port }).open((entry) => seen.push(entry));
    await clock.advance(100);
    tty.send('a');
    await clock.advance(19);
    tty.send('b');
    await clock.advance(50);
    tty.send('c');
    await write('02');
    end();
    await write('03');
    const at = (ms: number) => new Date(Date.parse('2026-11-23T08:00:00.000Z') + ms).toISOString();
    assert.deepEqual(seen, [
      { time: at(0), port, direction: 'sent', hex: '01AB' },
      { time: at(100), port, direction: 'received', hex: '6162' },
      { time: at(169), port, direction: 'received', hex: '63' },
      { time: at(169), port, direction: 'sent', hex: '02' },
    ]);
    assert.ok(seen.every((entry) => commands['serial.monitor'].entry?.safeParse(entry).success));
  });

  test('should keep the last 500 entries of at most 256 bytes', async () => {
    await write('00');
    for (let piece = 0; piece < 1_000; piece++) tty.listener?.onData(new Uint8Array(700).fill(piece));
    await clock.advance(20);
    const seen: string[] = [];
    serial.monitor({}).open(({ hex }) => seen.push(hex))();
    assert.equal(seen.length, 500);
    assert.ok(seen.every((hex) => hex.length <= 512));
    assert.ok(seen.at(-1)?.endsWith('E7'));
  });

  test('should answer NOT_FOUND for a port that the board does not list', () => {
    assert.throws(() => serial.monitor({ port: '/dev/ttyS7' }), { code: 'NOT_FOUND' });
  });
});
