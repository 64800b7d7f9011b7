import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProtectionProfileAeadAes128Gcm, RtpPacket, SrtpSession } from 'werift';
import { BufferPool } from '../bufferPool.ts';
import { portableDriver } from '../driver.ts';
import { SrtpWriter } from './srtpWriter.ts';

const MASTER = { key: Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'), salt: Buffer.alloc(12, 0xa5) };
const OTHER = { key: Buffer.alloc(16, 1), salt: Buffer.alloc(12, 2) };

function sessionOf(local: typeof MASTER, remote: typeof MASTER): SrtpSession {
  return new SrtpSession({
    profile: ProtectionProfileAeadAes128Gcm,
    keys: {
      localMasterKey: local.key,
      localMasterSalt: local.salt,
      remoteMasterKey: remote.key,
      remoteMasterSalt: remote.salt,
    },
  });
}

function writer(firstSequence: number, ringSize = 8, extension?: Buffer): SrtpWriter {
  const { srtpSessionKey, srtpSessionSalt } = sessionOf(MASTER, OTHER).localContext;
  return new SrtpWriter(
    { ssrc: 0xcafebabe, payloadType: 102, firstSequence, ringSize, extension },
    { cipher: portableDriver.createCipher(srtpSessionKey), salt: srtpSessionSalt },
    new BufferPool(),
  );
}

test('should write packets that another implementation decrypts, over the wrap of the sequence number', () => {
  const ours = writer(65_530);
  const theirs = sessionOf(OTHER, MASTER);
  for (let i = 0; i < 20; i++) {
    const payload = Buffer.from(`payload ${i}`.padEnd(1 + i * 60, '.'));
    const sealed = ours.write((0xfffffff0 + i) >>> 0, i % 2 === 0, payload);
    assert.equal(sealed.indexOf('payload'), -1);
    const { header, payload: opened } = RtpPacket.deSerialize(theirs.decrypt(Buffer.from(sealed)));
    assert.deepEqual(
      [header.sequenceNumber, header.timestamp, header.marker, header.payloadType, header.ssrc],
      [(65_530 + i) & 0xffff, (0xfffffff0 + i) >>> 0, i % 2 === 0, 102, 0xcafebabe],
    );
    assert.deepEqual(opened, payload);
  }
  assert.deepEqual(ours.sent, {
    packets: 20,
    octets: Array.from({ length: 20 }, (_, i) => Math.max(1 + i * 60, `payload ${i}`.length)).reduce(
      (a, b) => a + b,
    ),
  });
});

test('should put the header extension in front of each payload, and replace it by one of its length', () => {
  const [first, next, longer] = [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9, 10, 11, 12, 13],
  ].map((bytes) => Buffer.from([0xbe, 0xde, 0, (bytes.length + 1) / 4, 0x60 | (bytes.length - 1), ...bytes]));
  const ours = writer(0, 2, first);
  const theirs = sessionOf(OTHER, MASTER);
  const seen = Array.from({ length: 8 }, (_, i) => {
    if (i === 3) ours.extend(next!);
    if (i === 5) ours.extend(longer!);
    const payload = Buffer.from([0x41, i]);
    const opened = RtpPacket.deSerialize(theirs.decrypt(Buffer.from(ours.write(i, true, payload))));
    assert.deepEqual(opened.payload, payload);
    return opened.header.extensions.map(({ id, payload: bytes }) => [id, ...bytes]);
  });
  assert.deepEqual(seen, [...Array(3).fill([[6, 1, 2, 3]]), ...Array(5).fill([[6, 4, 5, 6]])]);
});

test('should return a packet for as long as it is in the ring, and no other in its place', () => {
  const ours = writer(10);
  const packets = Array.from({ length: 12 }, (_, i) => Buffer.from(ours.write(i, false, Buffer.from([i]))));
  assert.equal(ours.written(13), undefined);
  assert.equal(ours.written(22), undefined);
  assert.deepEqual(ours.written(14), packets[4]);
  assert.deepEqual(ours.written(21), packets[11]);
  // Written and gone, still there, not yet written, never written.
  assert.deepEqual(
    [10, 13, 14, 21, 22, 9].map((sequence) => ours.hasForgotten(sequence)),
    [true, true, false, false, false, false],
  );
});

test('security: should hand out nothing from a ring that was returned', () => {
  const ours = writer(10);
  ours.write(1, true, Buffer.from('picture'));
  ours.close();
  ours.close();
  assert.equal(ours.written(10), undefined);
  assert.throws(() => ours.write(2, true, Buffer.from('picture')), RangeError);
});

test('should keep what was written when a later packet is written', () => {
  const ours = writer(0);
  const first = ours.write(1, true, Buffer.alloc(1_200, 1));
  const copy = Buffer.from(first);
  ours.write(2, true, Buffer.alloc(1_200, 2));
  assert.deepEqual(first, copy);
});

test('should return packets of any lengths as they were written, wherever in the ring longer and shorter ones were before', () => {
  const ours = writer(0);
  const theirs = sessionOf(OTHER, MASTER);
  // No slot of the ring of 8 sees the same length twice in a row.
  const lengths = [
    900, 1, 0, 1_200, 900, 30, 1_200, 2, 1_201, 1_200, 17, 3, 1_201, 900, 1_200, 1_201, 5, 900, 1_201,
  ];
  const packets: Buffer[] = [];
  for (const [index, length] of lengths.entries()) {
    const payload = Buffer.alloc(length, index);
    packets.push(Buffer.from(ours.write(index, false, payload)));
    const kept = packets.slice(-8);
    const again = kept.map((_, at) => ours.written(index + 1 - kept.length + at));
    assert.deepEqual(again, kept, `after ${index}`);
    assert.deepEqual(RtpPacket.deSerialize(theirs.decrypt(packets.at(-1)!)).payload, payload);
  }
});
