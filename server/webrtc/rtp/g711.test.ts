import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeG711 } from '../../intercom/testing/media/g711.ts';
import { pcmaToPcmu, pcmuToPcma } from './g711.ts';

const ALL = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

for (const [from, to, convert] of [
  ['PCMA', 'PCMU', pcmaToPcmu],
  ['PCMU', 'PCMA', pcmuToPcma],
] as const) {
  test(`should take the nearest step of ${to} for each one of ${from}`, () => {
    const converted = convert(ALL);
    for (const [byte, got] of converted.entries()) {
      const sample = decodeG711(from, byte);
      const best = Math.min(...[...ALL].map((other) => Math.abs(decodeG711(to, other) - sample)));
      const off = Math.abs(decodeG711(to, got) - sample);
      // Halfway between two steps either is right.
      assert.ok(off <= best + Math.max(8, Math.abs(sample) / 64), `${byte}: off by ${off}, best ${best}`);
    }
  });
}

test('should leave silence silent', () => {
  assert.deepEqual(pcmaToPcmu(Buffer.from([0xd5, 0x55])), Buffer.from([0xff, 0xff]));
  assert.deepEqual(pcmuToPcma(Buffer.from([0xff])), Buffer.from([0xd5]));
});
