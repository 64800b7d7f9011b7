import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pythonWith, runProgram } from '../../testing/python.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { IR_PROTOCOLS, type IrCode, type IrProtocol } from './contract.ts';
import { prontoOf, signalOf } from './formats.ts';
import { decode, encode, firstFrame } from './protocols.ts';

/** How the kernel's tools name a key: `rc5:0x1e3d` (drivers/media/rc of Linux). */
const SCANCODES: Partial<Record<IrProtocol, (address: number, command: number) => string>> = {
  nec: (address, command) => `nec:${(address << 8) | command}`,
  necx: (address, command) => `necx:${((address & 0xff) << 16) | ((address >> 8) << 8) | command}`,
  rc5: (address, command) => `rc5:${(address << 8) | command}`,
  rc6: (address, command) => `rc6_0:${(address << 8) | command}`,
  sony12: (address, command) => `sony12:${(address << 16) | command}`,
  sony15: (address, command) => `sony15:${(address << 16) | command}`,
  sony20: (address, command) => `sony20:${((address & 31) << 16) | ((address >> 5) << 8) | command}`,
};

/** Keys over the whole range of a protocol. */
function keysOf(protocol: IrProtocol): IrCode[] {
  const most = IR_PROTOCOLS[protocol];
  return Array.from({ length: 9 }, (_, step) => ({
    protocol,
    address: Math.round((most.address * ((step * 5) % 9)) / 8),
    command: Math.round((most.command * step) / 8),
  }));
}

/** Both have the same times, but for 2 %: one rounds each time, the other their unit. */
function assertAlike(mine: readonly number[], theirs: readonly number[], name: string): void {
  assert.equal(mine.length, theirs.length, name);
  for (const [index, us] of theirs.entries())
    assert.ok(Math.abs(mine[index]! - us) <= 0.02 * us, `${name}: ${mine[index]} beside ${us} at ${index}`);
}

test("should encode each key as Debian's ir-ctl does, and read what it sends", {
  timeout: 180_000,
}, async () => {
  const keys = (Object.keys(SCANCODES) as IrProtocol[]).flatMap(keysOf);
  const script = join(import.meta.dirname, '../testing/irCtl.py');
  const names = keys.map(({ protocol, address, command }) => SCANCODES[protocol]!(address, command));
  // Debian's own Python has the module of umockdev.
  const { code, out, output } = await runProgram('/', '/usr/bin/python3', [script, ...names]);
  assert.equal(code, 0, output);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { carrier: number; times: number[] });
  assert.equal(lines.length, keys.length);
  for (const [index, key] of keys.entries()) {
    const { carrier, times } = lines[index]!;
    const mine = encode(key, 0, false);
    assert.equal(mine.carrier, carrier, key.protocol);
    assertAlike(firstFrame(mine.timings), times, JSON.stringify(key));
    assert.deepEqual(decode(times), decode(mine.timings));
  }
});

/** Its NECx2 is what others call Samsung's: a leader of 4.5 ms, and two bytes of address. */
const IRGEN = `
import json, sys, irgen
keys = json.loads(sys.argv[1])
prontos = json.loads(sys.argv[2])
print(json.dumps({
    'samsung32': [list(irgen.gen_raw_general('necx2', low, high, command)) for low, high, command in keys],
    'pronto': [list(irgen.gen_raw_from_pronto([int(word, 16) for word in one.split()])) for one in prontos],
}))
`;

/** Without a sign for darkness, and without the darkness at the end. */
const times = (values: readonly number[]): number[] => {
  const all = values.map(Math.abs);
  return all.length % 2 === 0 ? all.slice(0, -1) : all;
};

test('should encode Samsung and read Pronto as PyPI irgen does', {
  timeout: 180_000,
}, async (t: TestContext) => {
  const folder = temporaryFolder('irgen');
  const bin = await pythonWith(folder, ['irgen==0.2.0'], 'no second encoder was tried');
  if (bin === undefined) return t.skip('pip cannot be reached');
  await writeFile(join(folder, 'ask.py'), IRGEN);
  const keys = keysOf('samsung32');
  const bytes = keys.map(({ address, command }) => [
    address & 0xff,
    address > 255 ? address >> 8 : address,
    command,
  ]);
  const pronto = '0000 006D 0002 0002 0157 00AC 0016 0040 0157 0056 0016 0E94';
  const written = encode({ protocol: 'rc5', address: 5, command: 35 }, 0, false);
  const prontos = [pronto, prontoOf(written)];
  const args = ['ask.py', JSON.stringify(bytes), JSON.stringify(prontos)];
  const { code, out, output } = await runProgram(folder, join(bin, 'python'), args);
  assert.equal(code, 0, output);
  const theirs = JSON.parse(out) as { samsung32: number[][]; pronto: number[][] };
  for (const [index, key] of keys.entries()) {
    const mine = encode(key, 0, false);
    assertAlike(mine.timings, times(theirs.samsung32[index]!), JSON.stringify(key));
  }
  // Both parts of it, one after the other.
  const read = signalOf({ pronto, repeat: 1 }, false);
  assertAlike(read.timings, times(theirs.pronto[0]!), 'Pronto');
  assertAlike(written.timings, times(theirs.pronto[1]!), 'Pronto');
});
