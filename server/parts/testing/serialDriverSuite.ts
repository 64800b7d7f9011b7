import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import type { LineSettings, SerialDriver, SerialLine } from '../serial/driver.ts';

/** A driver under test with a device at the other end that echoes. */
interface SerialBench {
  readonly driver: SerialDriver;
  /** Another driver of the same port, like that of another program. */
  readonly rival: SerialDriver;
  peerSends(bytes: Uint8Array): Promise<void>;
  /** Takes the device away and brings it back; for ports that can be unplugged. */
  unplug?(): Promise<void>;
  plug?(): Promise<void>;
  close(): Promise<void>;
}

interface SuiteOptions {
  /** Why the suite cannot run here. */
  readonly skip?: string | false;
  /** Whether the port can be unplugged. */
  readonly unplugs?: boolean;
}

/** A line as most devices have it. */
export function line8N1(baudRate: number): LineSettings {
  return { baudRate, dataBits: 8, parity: 'none', stopBits: 1, flowControl: 'none' };
}

/** What every serial driver must do, simulated or real. */
export function testSerialDriver(
  name: string,
  open: () => Promise<SerialBench>,
  { skip = false, unplugs = false }: SuiteOptions = {},
): void {
  describe(`serial driver ${name}`, { skip }, () => {
    let bench: SerialBench;
    let line: SerialLine;
    let chunks: Uint8Array[];
    let lost: Error[];

    before(async () => {
      bench = await open();
    });
    after(async () => {
      await bench?.driver.stop();
      await bench?.driver.stop();
      await bench?.close();
    });
    beforeEach(async () => {
      chunks = [];
      lost = [];
      await bench.driver.start();
      line = await openLine(9600);
    });
    afterEach(async () => {
      await line.close();
    });

    const openLine = (baudRate: number) =>
      bench.driver.open(line8N1(baudRate), {
        onData: (bytes) => chunks.push(bytes),
        onLost: (error) => lost.push(error),
      });
    const received = () => [...Buffer.concat(chunks)];
    const arrived = (count: number) =>
      until(() => chunks.reduce((sum, chunk) => sum + chunk.length, 0) >= count, `${count} bytes`);

    test('should send every byte value and receive it unchanged', async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      await line.write(bytes);
      await arrived(256);
      assert.deepEqual(received(), [...bytes]);
    });

    test('should send more than the kernel buffers at once', async () => {
      const bytes = Uint8Array.from({ length: 60_000 }, (_, index) => (index * 7) % 251);
      await line.write(bytes);
      await arrived(bytes.length);
      assert.deepEqual(Buffer.from(received()), Buffer.from(bytes));
    });

    test('should receive what the device sends unasked', async () => {
      await bench.peerSends(Uint8Array.of(0x13, 0x11, 0x0d, 0x0a, 0x03));
      await arrived(5);
      assert.deepEqual(received(), [0x13, 0x11, 0x0d, 0x0a, 0x03]);
    });

    test('should not hand out the memory of a write or of another read', async () => {
      const bytes = Uint8Array.of(1, 2, 3);
      await line.write(bytes);
      bytes.fill(9);
      await arrived(3);
      await line.write(Uint8Array.of(4, 5));
      await arrived(5);
      assert.deepEqual(received(), [1, 2, 3, 4, 5]);
    });

    test('should refuse a second opening of the port with EBUSY', async () => {
      const other = bench.rival.open(line8N1(9600), { onData: () => undefined, onLost: () => undefined });
      await assert.rejects(other, { code: 'EBUSY' });
      await line.write(Uint8Array.of(7));
      await arrived(1);
    });

    test('should open again at once after close, at any baud rate', async () => {
      for (const baudRate of [115_200, 1200, 12_345, 9600]) {
        await line.close();
        line = await openLine(baudRate);
        chunks.length = 0;
        await line.write(Uint8Array.of(baudRate & 0xff));
        await arrived(1);
        assert.deepEqual(received(), [baudRate & 0xff]);
      }
    });

    test('should go on after a break', async () => {
      await line.setBreak(true);
      await line.setBreak(false);
      // A device may hear a break as a zero.
      chunks.length = 0;
      await line.write(Uint8Array.of(0x42));
      await until(() => received().includes(0x42), 'the byte after the break');
      await line.close();
      await assert.rejects(line.setBreak(true), { code: 'EBADF' });
    });

    test('should close twice, and report nothing and send nothing afterwards', async () => {
      await line.close();
      await line.close();
      await bench.peerSends(Uint8Array.of(1));
      await assert.rejects(line.write(Uint8Array.of(2)));
      await timeToGoWrong(50);
      assert.deepEqual(received(), []);
      assert.deepEqual(lost, []);
    });

    if (!unplugs) return;

    test('should report once that the device was unplugged, and open again when it is back', async () => {
      await line.write(Uint8Array.of(1));
      await arrived(1);
      await bench.unplug?.();
      await until(() => lost.length > 0, 'the loss');
      await assert.rejects(line.write(Uint8Array.of(2)));
      await assert.rejects(openLine(9600), { code: 'ENOENT' });
      await assert.rejects(bench.driver.start(), { code: 'ENOENT' });
      await bench.plug?.();
      line = await openLine(9600);
      chunks.length = 0;
      await line.write(Uint8Array.of(3));
      await arrived(1);
      assert.deepEqual(received(), [3]);
      assert.equal(lost.length, 1);
      assert.ok('code' in (lost[0] ?? {}), 'the loss carries an errno');
    });

    test('should report the loss of a device that sent until the end', async () => {
      await bench.peerSends(new Uint8Array(30_000));
      await arrived(1);
      await bench.unplug?.();
      await until(() => lost.length > 0, 'the loss');
      await bench.plug?.();
    });
  });
}
