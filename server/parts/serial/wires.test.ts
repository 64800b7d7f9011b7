import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { context, FakeTty } from '../testing/testPort.ts';
import { EchoFilter } from './driver.ts';
import { SerialService } from './service.ts';
import { clearModemLines } from './tty.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');

describe('a line that brings back what is sent', () => {
  /** What is left of pieces that come after these were sent. */
  function left(sent: readonly string[], pieces: readonly string[]): string {
    const filter = new EchoFilter();
    for (const one of sent) filter.sent(bytes(one), 0)(0);
    return pieces.map((piece) => hex(filter.heard(bytes(piece)))).join(' ');
  }

  test('should lose exactly the sent bytes, in pieces of any size', () => {
    assert.equal(left(['0d2a'], ['0d2a3e2a']), '3e2a');
    assert.equal(left(['010600010003980b'], ['010600010003980b010600010003980b']), '010600010003980b');
    assert.equal(left(['0d2a0d'], ['0d', '2a', '0d3e']), '  3e');
    assert.equal(left(['01', '02'], ['01027f']), '7f');
  });

  test('should keep what only begins like an echo, and noise before it', () => {
    assert.equal(left(['0103'], ['01', '05']), ' 0105');
    assert.equal(left(['0103'], ['000103ff']), '00ff');
    assert.equal(left([], ['0103']), '0103');
  });

  test('should not wait for an echo that was lost', () => {
    const filter = new EchoFilter();
    filter.sent(bytes('0103'), 0)(5);
    assert.equal(hex(filter.heard(bytes('0102'))), '0102');
    filter.sent(bytes('0103'), 1_000)(1_005);
    assert.equal(hex(filter.heard(bytes('01030103'))), '0103');
  });

  test('should be read and written as one that does not', async () => {
    const tty = new FakeTty();
    const log = silentLogger();
    const port = tty.path;
    const ports = [{ port, driver: tty, dropEcho: true }];
    const serial = new SerialService({
      ports,
      events: new EventBus(log),
      log,
      clock: new FakeWallClock('2026-03-01T10:00:00Z'),
    });
    await serial.start();
    await serial.write({ port, baudRate: 9_600, hex: '01 03' }, context);
    tty.listener?.onData(bytes('0103'));
    tty.listener?.onData(bytes('0104'));
    const read = await serial.read({ port, baudRate: 9_600, timeout: 0, length: 2 }, context);
    assert.equal(read.hex, '0104');
    await serial.stop();
  });
});

describe('DTR and RTS', () => {
  test('should be lowered by TIOCMBIC, and a port without them be no failure', () => {
    const calls: string[] = [];
    const io = {
      ioctlPointer: (fd: number, request: number, argument: Buffer) => {
        calls.push(`${fd} ${request.toString(16)} ${argument.readInt32LE()}`);
        return 0;
      },
    };
    assert.equal(clearModemLines(io, 5, { dtr: true, rts: false }), null);
    assert.equal(clearModemLines(io, 5, { dtr: true, rts: true }), null);
    assert.deepEqual(calls, ['5 5417 2', '5 5417 6']);
    const pty = {
      ioctlPointer: () => {
        throw Object.assign(new Error('no'), { code: 'ENOTTY' });
      },
    };
    assert.equal(clearModemLines(pty, 5, { dtr: true, rts: true }), 'ENOTTY');
  });
});
