import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { PtyLine, skipWithoutSocat } from '../../testing/ptyLine.ts';
import { letPass, until } from '../../testing/waiting.ts';
import { testSerialDriver } from '../testing/serialDriverSuite.ts';
import type { SerialPortState } from './contract.ts';
import { type SerialDriver, SimulatedSerial } from './driver.ts';
import { SerialService } from './service.ts';
import { Tty } from './tty.ts';

const context = { signal: new AbortController().signal };
const log = silentLogger();
const port = '/dev/ttyS9';

interface Bench {
  readonly driver: SerialDriver;
  peerSends(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

function makeService(driver: SerialDriver, announced: SerialPortState[] = []): SerialService {
  const events = new EventBus(log);
  events.onAny((_, payload) => announced.push(payload as SerialPortState));
  return new SerialService({ ports: [{ port, driver }], events, log });
}

/** The service as callers use it, over a complete driver and a device that echoes. */
function testServiceOver(name: string, open: () => Promise<Bench>, skip: string | false): void {
  describe(`serial service over ${name}`, { skip }, () => {
    let bench: Bench;
    let serial: SerialService;
    before(async () => {
      bench = await open();
      serial = makeService(bench.driver);
      await serial.start();
    });
    after(async () => {
      await serial?.stop();
      await bench?.close();
    });

    test('should read back what the device echoes', async () => {
      await serial.write({ port, baudRate: 9600, hex: '01 03 00 00 00 01 84 0a' }, context);
      const answer = await serial.read({ port, baudRate: 9600, timeout: 5_000 }, context);
      assert.deepEqual(answer, { port, hex: '010300000001840A', data: '\x01\x03\0\0\0\x01\x84\n' });
    });

    test('should keep 50 concurrent exchanges apart', async () => {
      for (let round = 0; round < 50; round++) {
        const hex = round.toString(16).padStart(4, '0').toUpperCase();
        const [, answer] = await Promise.all([
          serial.write({ port, baudRate: 9600, hex }, context),
          serial.read({ port, baudRate: 9600, timeout: 5_000 }, context),
        ]);
        assert.equal(answer.hex, hex);
      }
    });

    test('should wait for a device that answers late', async () => {
      const reading = serial.read({ port, baudRate: 9600, timeout: 10_000 }, context);
      await letPass(30);
      await bench.peerSends(Uint8Array.of(0xca, 0xfe));
      assert.equal((await reading).hex, 'CAFE');
    });

    test('should return nothing when the device is silent', async () => {
      const answer = await serial.read({ port, baudRate: 9600, timeout: 30 }, context);
      assert.deepEqual(answer, { port, hex: '', data: '' });
    });
  });
}

testServiceOver(
  'the simulated driver',
  async () => {
    const driver = new SimulatedSerial();
    return { driver, peerSends: async (bytes) => driver.peerSends(bytes), close: async () => undefined };
  },
  false,
);

testServiceOver(
  'a pty',
  async () => {
    const pty = new PtyLine();
    await pty.plug();
    return {
      driver: new Tty(pty.path),
      peerSends: (bytes) => pty.peerSends(bytes),
      close: () => pty.close(),
    };
  },
  skipWithoutSocat,
);

test('should let the peer of a simulated port send', async () => {
  const serial = makeService(new SimulatedSerial());
  await serial.start();
  const reading = serial.read({ port, baudRate: 9600, timeout: 5_000 }, context);
  await letPass(5);
  await serial.simulate({ port, hex: '48 69' });
  assert.equal((await reading).data, 'Hi');
  assert.equal(serial.parts()[`serial:${port}`]?.state, 'simulated');
  await serial.stop();
});

describe('serial faults on a pty', { skip: skipWithoutSocat }, () => {
  test('should answer PORT_BUSY while another program has locked the tty', async () => {
    const pty = new PtyLine();
    await pty.plug();
    const first = makeService(new Tty(pty.path));
    const second = makeService(new Tty(pty.path));
    await Promise.all([first.start(), second.start()]);
    await first.write({ port, baudRate: 9600, hex: '01' }, context);
    const refused = second.write({ port, baudRate: 9600, hex: '02' }, context);
    await assert.rejects(refused, { code: 'PORT_BUSY' });
    await first.close({ port }, context);
    await second.write({ port, baudRate: 9600, hex: '02' }, context);
    await Promise.all([first.stop(), second.stop()]);
    await pty.close();
  });

  test('should come back on its own after the device was unplugged', async () => {
    const pty = new PtyLine();
    await pty.plug();
    const announced: SerialPortState[] = [];
    const serial = makeService(new Tty(pty.path), announced);
    const reach = (state: string) =>
      until(() => announced.at(-1)?.state === state, `the port to become ${state}`);
    await serial.start();
    await serial.write({ port, baudRate: 9600, hex: '01' }, context);
    await pty.unplug();
    await reach('lost');
    await assert.rejects(serial.write({ port, baudRate: 9600, hex: '02' }, context), {
      code: 'HARDWARE_ERROR',
    });
    await pty.plug();
    await reach('open');
    await serial.write({ port, baudRate: 9600, hex: '03' }, context);
    assert.equal((await serial.read({ port, baudRate: 9600, timeout: 5_000 }, context)).hex, '03');
    assert.deepEqual(
      announced.map(({ state }) => state),
      ['open', 'lost', 'open'],
    );
    await serial.stop();
    await pty.close();
  });

  test('should answer UNSUPPORTED_HARDWARE with the errno for a tty that is not there', async () => {
    const serial = makeService(new Tty('/dev/tty-that-is-not-there'));
    await serial.start();
    await assert.rejects(serial.write({ port, baudRate: 9600, hex: '01' }, context), {
      code: 'UNSUPPORTED_HARDWARE',
      message: /ENOENT/,
    });
    await serial.stop();
  });
});

testSerialDriver('simulated', async () => {
  const driver = new SimulatedSerial();
  return {
    driver,
    rival: driver,
    peerSends: async (bytes) => driver.peerSends(bytes),
    close: async () => undefined,
  };
});
