import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { settled } from '../../testing/fakeClock.ts';
import { context, port, portForTests, type TestPort } from '../testing/testPort.ts';

describe('serial faults', () => {
  let { tty, clock, serial, write, read, states } = {} as TestPort;
  portForTests((line) => {
    ({ tty, clock, serial, write, read, states } = line);
  });

  test('should answer PORT_BUSY while another program holds the port', async () => {
    await serial.start();
    tty.openFails = errnoError('EBUSY', 'lock');
    await assert.rejects(write('01'), { code: 'PORT_BUSY' });
    tty.openFails = undefined;
    await write('01');
    assert.deepEqual(states(), ['open']);
  });

  test('should answer UNSUPPORTED_HARDWARE with the errno when the node was missing at start', async () => {
    tty.startFails = errnoError('ENOENT', 'access');
    await serial.start();
    await assert.rejects(write('01'), {
      code: 'UNSUPPORTED_HARDWARE',
      message: 'This board has no serial port /dev/ttyS5: ENOENT (no such file or directory).',
    });
    assert.deepEqual(serial.parts(), {
      'serial:/dev/ttyS5': {
        driver: 'fake',
        path: '/dev/ttyS5',
        state: 'absent',
        reason: 'ENOENT (no such file or directory)',
      },
    });
    assert.deepEqual(serial.snapshot(), []);
    tty.startFails = undefined;
    await write('01');
    assert.equal(serial.parts()['serial:/dev/ttyS5']?.state, 'real');
    assert.deepEqual(serial.snapshot(), [{ port, state: 'open' }]);
  });

  test('should answer HARDWARE_ERROR when the node vanished after start', async () => {
    await serial.start();
    tty.openFails = errnoError('ENOENT', 'open');
    await assert.rejects(write('01'), { code: 'HARDWARE_ERROR', message: /ENOENT/ });
  });

  test('should be closed after a change of baud rate that failed', async () => {
    await serial.start();
    await write('01', 9600);
    tty.openFails = errnoError('EINVAL', 'baud');
    await assert.rejects(write('01', 123), { code: 'HARDWARE_ERROR', message: /EINVAL/ });
    assert.deepEqual(states(), ['open', 'closed']);
  });

  test('should announce an unplug, answer HARDWARE_ERROR until it is back, and come back on its own', async () => {
    await serial.start();
    await write('01', 19_200);
    tty.openFails = errnoError('ENOENT', 'open');
    tty.lose();
    await assert.rejects(write('02', 19_200), { code: 'HARDWARE_ERROR', message: /EIO, unplugged/ });
    await assert.rejects(read(0), { code: 'HARDWARE_ERROR' });
    assert.deepEqual(states(), ['open', 'lost']);
    await clock.advance(10_000);
    tty.openFails = undefined;
    await clock.advance(5_000);
    assert.deepEqual(states(), ['open', 'lost', 'open']);
    assert.equal(tty.calls.at(-1), 'open 19200');
    await write('03', 19_200);
  });

  test('should try to come back after 250 ms, then with doubling pauses of at most 5 s', async () => {
    await serial.start();
    await write('01');
    tty.openFails = errnoError('ENOENT', 'open');
    tty.calls.length = 0;
    const lostAt = clock.now();
    tty.lose();
    const times: number[] = [];
    while (times.length < 8) {
      const before = tty.calls.length;
      await clock.advance(250);
      if (tty.calls.length > before) times.push(clock.now() - lostAt);
    }
    assert.deepEqual(times, [250, 750, 1750, 3750, 7750, 12_750, 17_750, 22_750]);
  });

  test('should end a waiting read with HARDWARE_ERROR when the port is lost', async () => {
    await serial.start();
    const reading = read(60_000);
    await settled();
    tty.lose();
    await assert.rejects(reading, { code: 'HARDWARE_ERROR' });
  });

  test('should still return what had arrived when the port is lost in the middle of a read', async () => {
    await serial.start();
    const reading = read(60_000);
    await settled();
    tty.send('last words');
    tty.lose();
    assert.equal((await reading).data, 'last words');
  });

  test('should close a lost port and stop trying', async () => {
    await serial.start();
    await write('01');
    tty.lose();
    await serial.close({ port }, context);
    assert.deepEqual(states(), ['open', 'lost', 'closed']);
    assert.equal(clock.pending, 0);
    await write('02');
    assert.deepEqual(tty.calls, ['open 9600', 'write 01', 'open 9600', 'write 02']);
  });

  test('should close a lost port while it is being opened again', async () => {
    await serial.start();
    await write('01');
    let open = (): void => undefined;
    tty.openGate = new Promise((resolve) => {
      open = resolve;
    });
    tty.lose();
    await clock.advance(250);
    const closed = serial.close({ port }, context);
    const written = write('02');
    await settled();
    tty.openGate = undefined;
    open();
    await Promise.all([closed, written]);
    assert.deepEqual(states(), ['open', 'lost', 'closed', 'open']);
    await clock.advance(10_000);
    assert.deepEqual(tty.calls, ['open 9600', 'write 01', 'open 9600', 'close', 'open 9600', 'write 02']);
  });

  test('should stop while a port is lost', async () => {
    await serial.start();
    await write('01');
    tty.lose();
    await serial.stop();
    assert.equal(clock.pending, 0);
  });
});
