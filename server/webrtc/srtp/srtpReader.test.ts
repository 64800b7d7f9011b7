import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BufferPool } from '../bufferPool.ts';
import { portableDriver } from '../driver.ts';
import { SrtpReader } from './srtpReader.ts';
import { SrtpWriter } from './srtpWriter.ts';

const SALT = Buffer.alloc(12, 2);

const cipher = (fill = 1) => portableDriver.createCipher(Buffer.alloc(16, fill));

const writer = (firstSequence: number, ssrc = 7): SrtpWriter =>
  new SrtpWriter(
    { ssrc, payloadType: 96, firstSequence, ringSize: 64 },
    { cipher: cipher(), salt: SALT },
    new BufferPool(),
  );

test('should decrypt packets past the end of the sequence numbers, in any order within the window', () => {
  const sender = writer(65_530);
  const packets = Array.from({ length: 12 }, (_, i) => Buffer.from(sender.write(i, false, Buffer.from([i]))));
  const reader = new SrtpReader(cipher(), SALT);
  for (const index of [0, 3, 1, 2, 7, 6, 5, 4, 11, 10, 8, 9]) {
    assert.equal(reader.open(packets[index]!)?.at(-1), index);
  }
});

test('should report skipped numbers to the receiver, also at the end of the numbers', () => {
  const sender = writer(65_534);
  const reader = new SrtpReader(cipher(), SALT);
  const sequence = (): number =>
    reader.open(Buffer.from(sender.write(0, false, Buffer.from([1]))))!.readUInt16BE(2);
  assert.equal(sequence(), 65_534);
  sender.skip(3);
  assert.equal(sequence(), 2);
});

test('security: should decrypt no packet twice, none that was changed, and none of another key', () => {
  const packet = Buffer.from(writer(5).write(0, false, Buffer.from('sound')));
  const reader = new SrtpReader(cipher(), SALT);
  for (let at = 0; at < packet.length; at++) {
    const changed = Buffer.from(packet);
    changed[at]! ^= 1;
    assert.equal(reader.open(changed), undefined, `byte ${at}`);
  }
  assert.ok(reader.open(packet));
  assert.equal(reader.open(packet), undefined);
  assert.equal(new SrtpReader(cipher(9), SALT).open(packet), undefined);
});

test('should survive any datagram and any number of streams', () => {
  const reader = new SrtpReader(cipher(), SALT);
  for (let ssrc = 0; ssrc < 100; ssrc++)
    assert.ok(reader.open(writer(1, ssrc).write(0, false, Buffer.from([1]))));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      assert.equal(reader.open(Buffer.from(bytes)), undefined);
    }),
  );
});
