import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import type { OutputRecords } from '../../parts/gpio/contract.ts';
import { errnoError } from '../../platform/errno.ts';
import { storedText } from '../../platform/files/storedValue.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import { FakeGpioChip } from '../../testing/fakeGpioChip.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { makeSafe } from './makeSafe.ts';

const NODE = '/dev/gpio_control';

/** The vendor's node: each drive as `pin=level`. */
class FakeNode implements DeviceIo {
  readonly drives: string[] = [];
  broken: number | undefined;
  #open = 0;

  open(path: string): number {
    if (path !== NODE) throw errnoError('ENOENT', `open ${path}`);
    return ++this.#open;
  }

  close(): void {
    this.#open--;
  }

  get left(): number {
    return this.#open;
  }

  ioctlPointer(_fd: number, request: number, argument: Buffer): number {
    const pin = argument.readInt32LE(0);
    if (pin === this.broken) throw errnoError('EIO', 'injected');
    this.drives.push(`${pin}=${request - 0x40000000}`);
    return 0;
  }

  ioctlValue(): number {
    throw errnoError('ENOTTY', 'all arguments of this node are pointers');
  }
}

describe('making outputs safe after the service', () => {
  let dataDir: string;
  let said: string[];
  beforeEach(() => {
    dataDir = temporaryFolder('safe');
    said = [];
  });

  function run(io: DeviceIo, stored: OutputRecords | string): 0 | 1 {
    const text =
      typeof stored === 'string' ? stored : storedText({ version: 1, latest: 1, value: stored, beside: {} });
    writeFileSync(join(dataDir, 'outputs.json'), text);
    return makeSafe(dataDir, io, (line) => said.push(line));
  }

  const wiring = { driver: 'gpio_control', path: NODE } as const;

  test('should drive safe levels and the ends of pulses, each 0 before any 1; a safe level comes first', () => {
    const node = new FakeNode();
    const rest = [
      { pin: 3, level: 1 },
      { pin: 2, level: 0 },
    ] as const;
    const pulses = [
      { pin: 1, back: 1 },
      { pin: 2, back: 1 },
      { pin: 0, back: 0 },
    ] as const;
    assert.equal(run(node, { wiring, rest: [...rest], pulses: [...pulses] }), 0);
    assert.deepEqual(node.drives, ['2=0', '0=0', '1=1', '3=1']);
    assert.equal(node.left, 0);
    assert.deepEqual(said, []);
  });

  test('should go on when a pin cannot be switched off, switch none on, and say so', () => {
    const node = new FakeNode();
    node.broken = 0;
    const rest = [0, 2, 3].map((pin) => ({ pin, level: pin === 3 ? (1 as const) : (0 as const) }));
    assert.equal(run(node, { wiring, rest, pulses: [] }), 1);
    assert.deepEqual(node.drives, ['2=0']);
    assert.deepEqual(said, ['pin 0 may not be safe: injected']);
  });

  test('should request the lines of a chip at their levels, and leave the others alone', () => {
    const chip = new FakeGpioChip('/dev/gpiochip0', ['', 'IO1', 'RELAY1', 'RELAY2']);
    const lines = [{ name: 'IO1' }, { offset: 0 }, { name: 'RELAY1', activeLow: true }, { offset: 3 }];
    const stored: OutputRecords = {
      wiring: { driver: 'gpiochip', path: '/dev/gpiochip0', lines },
      rest: [{ pin: 2, level: 0 }],
      pulses: [{ pin: 3, back: 1 }],
    };
    assert.equal(run(chip, stored), 0);
    assert.deepEqual(
      chip.lines.map(({ configured }) => configured),
      [[], [], [{ flags: 10n, value: 0 }], [{ flags: 8n, value: 1 }]],
    );
    assert.equal(chip.held.size + chip.chips.size, 0, 'every descriptor is closed');
  });

  test('should do nothing without pins, and without a file', () => {
    const node = new FakeNode();
    assert.equal(
      makeSafe(dataDir, node, (line) => said.push(line)),
      0,
    );
    assert.equal(run(node, { wiring: null, rest: [], pulses: [] }), 0);
    assert.deepEqual([node.drives, said], [[], []]);
  });

  test('should say that a damaged file, a file of others and a missing folder tell it nothing', () => {
    const node = new FakeNode();
    for (const text of [
      '',
      '{"version":1,',
      '[]',
      '{"version":1,"value":null}',
      '{"version":1,"value":{"wiring":{"driver":"gpio_control","path":7},"rest":[],"pulses":[]}}',
      '{"version":1,"value":{"wiring":null,"rest":[{"pin":2,"level":5}],"pulses":[]}}',
    ])
      assert.equal(run(node, text), 1, text);
    assert.equal(
      makeSafe(undefined, node, (line) => said.push(line)),
      1,
    );
    assert.deepEqual(node.drives, []);
    assert.equal(said.length, 7);
  });
});
