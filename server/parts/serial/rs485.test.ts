import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import { systemDeviceIo } from '../../platform/native/ioctl.ts';
import { underDeviceDouble } from '../../testing/deviceDouble.ts';
import { line8N1 } from '../testing/serialDriverSuite.ts';
import { enableRs485, Tty } from './tty.ts';

/** A uart whose settings are the 32 bytes in hex; with `refuses` it knows no RS-485. */
function uart(before: string, refuses: Readonly<Partial<Record<'get' | 'set', string>>> = {}) {
  const written: string[] = [];
  const io: DeviceIo = {
    open: () => assert.fail('the port is open already'),
    close: () => assert.fail('the port is not ours to close'),
    ioctlValue: () => assert.fail('both calls take a pointer'),
    ioctlPointer(fd, request, argument) {
      assert.equal(fd, 5);
      assert.equal(argument.length, 32);
      const refusal = refuses[request === 0x542e ? 'get' : 'set'];
      if (refusal) throw errnoError(refusal, 'refused');
      if (request === 0x542e) argument.write(before, 'hex');
      else written.push(argument.toString('hex'));
      return 0;
    },
  };
  return { io, written };
}

/** struct serial_rs485: flags and the two delays, each 4 bytes in the order of the machine. */
function settings(flags: number, before = 0, after = 0): string {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32LE(flags, 0);
  bytes.writeUInt32LE(before, 4);
  bytes.writeUInt32LE(after, 8);
  return bytes.toString('hex');
}

describe('RS-485 switching', () => {
  test('should switch it on with RTS on send', () => {
    const { io, written } = uart(settings(0));
    assert.equal(enableRs485(io, 5), null);
    assert.deepEqual(written, [settings(0x3)]);
  });

  test('should keep polarity and delays of the device tree', () => {
    const { io, written } = uart(settings(0x4, 2, 3));
    assert.equal(enableRs485(io, 5), null);
    assert.deepEqual(written, [settings(0x5, 2, 3)]);
  });

  test('should leave a line alone that is already switched', () => {
    const { io, written } = uart(settings(0x15, 1, 1));
    assert.equal(enableRs485(io, 5), null);
    assert.deepEqual(written, []);
  });

  for (const errno of ['ENOTTY', 'EINVAL', 'EPERM']) {
    test(`should tolerate a driver that refuses with ${errno}`, () => {
      assert.equal(enableRs485(uart('', { get: errno, set: errno }).io, 5), errno);
    });
  }

  test('should switch it on when it cannot read the setting', () => {
    const { io, written } = uart('', { get: 'ENOTTY' });
    assert.equal(enableRs485(io, 5), null);
    assert.deepEqual(written, [settings(0x3)]);
  });
});

underDeviceDouble('RS-485 tty', import.meta.filename, (double) => {
  const path = '/dev/ttyS9';

  test('should switch the line each time the port is opened, and carry bytes both ways', async (t) => {
    const answers: (string | null)[] = [];
    const tty = new Tty(path, (fd) => answers.push(enableRs485(systemDeviceIo, fd)));
    await tty.start();
    const received: number[] = [];
    let arrived: () => void;
    const complete = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const line = await tty.open(line8N1(9600), {
      onData: (bytes) => {
        received.push(...bytes);
        if (received.length === 2) arrived();
      },
      onLost: (error) => assert.fail(error),
    });
    t.after(() => line.close());
    assert.deepEqual(await double.takeCalls(), [
      { device: path, request: 0x542e, argument: null },
      { device: path, request: 0x542f, argument: settings(0x3) },
    ]);
    await line.write(Uint8Array.of(1, 3, 255));
    assert.equal(await double.ttyReceived(path, 3), '0103ff');
    await double.ttySend(path, '00fe');
    await complete;
    assert.deepEqual(received, [0, 254]);
    assert.deepEqual(answers, [null]);
  });

  test('should open the port even when its driver refuses', async (t) => {
    await double.fail(path, 'ENOTTY', { times: 2 });
    const answers: (string | null)[] = [];
    const tty = new Tty(path, (fd) => answers.push(enableRs485(systemDeviceIo, fd)));
    const line = await tty.open(line8N1(9600), {
      onData: () => undefined,
      onLost: (error) => assert.fail(error),
    });
    t.after(() => line.close());
    assert.deepEqual(answers, ['ENOTTY']);
    await line.write(Uint8Array.of(7));
    assert.equal(await double.ttyReceived(path, 1), '07');
  });
});
