import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { commands } from '../../contract/commands.ts';
import { settled } from '../../testing/fakeClock.ts';
import { context, port, portForTests, type TestPort } from '../testing/testPort.ts';

describe('serial service', () => {
  let { tty, clock, serial, write, read, states } = {} as TestPort;
  portForTests((line) => {
    ({ tty, clock, serial, write, read, states } = line);
  });

  describe('calls', () => {
    beforeEach(() => serial.start());

    test('should open on first use, stay open between calls, and close', async () => {
      assert.deepEqual(tty.calls, []);
      assert.deepEqual(await write('01 ab'), { status: 'ok', port, sent: 2 });
      await write('02');
      assert.deepEqual(await serial.close({ port }, context), { status: 'ok', port });
      assert.deepEqual(tty.calls, ['open 9600', 'write 01ab', 'write 02', 'close']);
      assert.deepEqual(states(), ['open', 'closed']);
    });

    test('should accept close on a closed port', async () => {
      assert.deepEqual(await serial.close({ port }, context), { status: 'ok', port });
      assert.deepEqual(tty.calls, []);
      assert.deepEqual(states(), []);
    });

    test('should open again when the baud rate changes, and drop what had arrived', async () => {
      await write('01', 9600);
      tty.send('old');
      await write('02', 19_200);
      assert.equal((await read(0, 19_200)).hex, '');
      assert.deepEqual(tty.calls, ['open 9600', 'write 01', 'close', 'open 19200', 'write 02']);
      assert.deepEqual(states(), ['open']);
    });

    test('should serve 200 concurrent calls in order', async () => {
      const hexes = Array.from({ length: 200 }, (_, index) => index.toString(16).padStart(2, '0'));
      const answers = await Promise.all(hexes.map((hex) => write(hex)));
      assert.ok(answers.every(({ sent }) => sent === 1));
      assert.deepEqual(tty.calls, ['open 9600', ...hexes.map((hex) => `write ${hex}`)]);
    });

    test('should answer NOT_FOUND for a port that the board does not list', async () => {
      const other = { port: '/dev/ttyS7', baudRate: 9600 };
      await assert.rejects(serial.write({ ...other, hex: '01' }, context), {
        code: 'NOT_FOUND',
        message: /ttyS5/,
      });
      await assert.rejects(serial.read({ ...other, timeout: 0 }, context), { code: 'NOT_FOUND' });
      await assert.rejects(serial.close(other, context), { code: 'NOT_FOUND' });
      await assert.rejects(serial.simulate({ ...other, hex: '01' }), { code: 'NOT_FOUND' });
    });

    test('should refuse to simulate on a real port', async () => {
      await assert.rejects(serial.simulate({ port, hex: '01' }), { code: 'UNSUPPORTED_HARDWARE' });
    });
  });

  describe('reading', () => {
    beforeEach(() => serial.start());

    test('should return 20 ms after the last byte', async () => {
      let answer: unknown;
      const reading = read(1000).then((result) => {
        answer = result;
      });
      await clock.advance(300);
      tty.send('a');
      await clock.advance(15);
      tty.send('\xff');
      await clock.advance(19);
      assert.equal(answer, undefined);
      await clock.advance(1);
      await reading;
      assert.deepEqual(answer, { port, hex: '61FF', data: 'a\xff' });
    });

    test('should return nothing at the timeout when nothing came', async () => {
      const reading = read(500);
      let done = false;
      void reading.then(() => {
        done = true;
      });
      await clock.advance(499);
      assert.equal(done, false);
      await clock.advance(1);
      const answer = await reading;
      assert.deepEqual(answer, { port, hex: '', data: '' });
      assert.ok(commands['serial.read'].result.safeParse(answer).success);
    });

    test('should return at the timeout even if bytes still come', async () => {
      const reading = read(50);
      for (let step = 0; step < 10; step++) {
        await clock.advance(10);
        tty.send(String(step));
      }
      assert.equal((await reading).data, '0123');
    });

    test('should return at once what arrived between calls', async () => {
      await write('00');
      tty.send('early');
      await clock.advance(20);
      assert.equal((await read(60_000)).data, 'early');
      assert.equal((await read(0)).data, '');
    });

    test('should return what is there when the timeout is 0', async () => {
      await write('00');
      tty.send('x');
      assert.equal((await read(0)).data, 'x');
    });

    test('should keep the last 64 KiB', async () => {
      await write('00');
      for (let piece = 0; piece < 100; piece++) {
        tty.listener?.onData(new Uint8Array(1000).fill(piece));
      }
      const bytes = Buffer.from((await read(0)).hex, 'hex');
      assert.equal(bytes.length, 65_536);
      assert.equal(bytes[0], 34);
      assert.equal(bytes.at(-1), 99);
    });

    test('should leave what arrived for the next read when the caller leaves', async () => {
      const caller = new AbortController();
      const reading = read(1000, 9600, caller);
      await clock.advance(10);
      tty.send('kept');
      await settled();
      caller.abort(new Error('gone'));
      await assert.rejects(reading, /gone/);
      assert.equal((await read(0)).data, 'kept');
    });

    test('should not cut a frame because the event loop stood still', async () => {
      const reading = read(1000);
      await clock.advance(10);
      tty.send('first ');
      await settled();
      clock.stall(100);
      await clock.advance(0);
      tty.send('second');
      await clock.advance(20);
      assert.equal((await reading).data, 'first second');
    });
  });

  describe('callers who leave', () => {
    beforeEach(() => serial.start());

    test('should free the port of a read whose caller is gone', async () => {
      const caller = new AbortController();
      const reading = read(60_000, 9600, caller);
      const writing = write('01');
      await settled();
      assert.deepEqual(tty.calls, ['open 9600']);
      caller.abort(new Error('gone'));
      await assert.rejects(reading, /gone/);
      await writing;
      assert.deepEqual(tty.calls, ['open 9600', 'write 01']);
    });

    test('should never run a call whose caller left while it waited', async () => {
      const caller = new AbortController();
      const reading = read(100);
      const writing = write('01', 9600, caller);
      caller.abort(new Error('gone'));
      await assert.rejects(writing, /gone/);
      await clock.advance(100);
      await reading;
      await write('02');
      assert.deepEqual(tty.calls, ['open 9600', 'write 02']);
    });

    test('should send nothing for a caller who left while the port was opened', async () => {
      let open = (): void => undefined;
      tty.openGate = new Promise((resolve) => {
        open = resolve;
      });
      const caller = new AbortController();
      const writing = write('01', 9600, caller);
      await settled();
      caller.abort(new Error('gone'));
      await assert.rejects(writing, /gone/);
      open();
      await write('02');
      assert.deepEqual(tty.calls, ['open 9600', 'write 02']);
    });

    test('should let a write finish within 2 seconds after its caller left', async () => {
      tty.stuck = true;
      const caller = new AbortController();
      const writing = write('01', 9600, caller);
      const next = write('02');
      await settled();
      caller.abort(new Error('gone'));
      await assert.rejects(writing, /gone/);
      await clock.advance(1_999);
      assert.deepEqual(tty.calls, ['open 9600', 'write 01']);
      tty.stuck = false;
      await clock.advance(1);
      await next;
      assert.deepEqual(tty.calls, ['open 9600', 'write 01', 'close', 'open 9600', 'write 02']);
    });

    test('should end waiting calls with SHUTTING_DOWN when it stops', async () => {
      const calls = [read(60_000), write('01'), serial.close({ port }, context)];
      const refused = Promise.all(calls.map((call) => assert.rejects(call, { code: 'SHUTTING_DOWN' })));
      await settled();
      await serial.stop();
      await refused;
      await serial.stop();
      await assert.rejects(write('01'), { code: 'SHUTTING_DOWN' });
    });

    test('should not wait for a stuck write when it stops', async () => {
      tty.stuck = true;
      const refused = assert.rejects(write('01'), { code: 'SHUTTING_DOWN' });
      await settled();
      await serial.stop();
      await refused;
    });

    test('should release a port that opens while it stops', async () => {
      let open = (): void => undefined;
      tty.openGate = new Promise((resolve) => {
        open = resolve;
      });
      const refused = assert.rejects(write('01'), { code: 'SHUTTING_DOWN' });
      await settled();
      const stopped = serial.stop();
      open();
      await Promise.all([refused, stopped]);
      assert.deepEqual(tty.calls, ['open 9600', 'close']);
    });
  });

  test('should stop before start and twice', async () => {
    await serial.stop();
    await serial.start();
    await serial.stop();
    await serial.stop();
  });
});
