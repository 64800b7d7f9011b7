import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { SrtcpSession as OtherSession, ProtectionProfileAeadAes128Gcm } from 'werift';
import { type GcmCipher, type MediaDriver, portableDriver } from '../driver.ts';
import { SrtcpSession } from './srtcp.ts';

const OURS = { key: Buffer.alloc(16, 1), salt: Buffer.alloc(12, 0xa5) };
const THEIRS = { key: Buffer.alloc(16, 3), salt: Buffer.alloc(12, 0x5a) };
const OTHER = { key: Buffer.alloc(16, 9), salt: Buffer.alloc(12, 0x5a) };

/** A receiver report of a sender, its second word, with a block of statistics. */
function report(ssrc: number): Buffer {
  const data = Buffer.alloc(32, 7);
  data.writeUInt32BE(0x81c90007, 0);
  data.writeUInt32BE(ssrc, 4);
  return data;
}

const pair = () => ({
  ours: new SrtcpSession(portableDriver, OURS, THEIRS),
  theirs: new SrtcpSession(portableDriver, THEIRS, OURS),
});

/** werift's end for the master keys, and ours with the session keys that werift derives from them. */
function withOther() {
  const [local, remote] = [randomBytes(16), randomBytes(16)];
  const [localSalt, remoteSalt] = [randomBytes(12), randomBytes(12)];
  const other = new OtherSession({
    profile: ProtectionProfileAeadAes128Gcm,
    keys: {
      localMasterKey: local,
      localMasterSalt: localSalt,
      remoteMasterKey: remote,
      remoteMasterSalt: remoteSalt,
    },
  });
  const keyOf = ({ srtcpSessionKey: key, srtcpSessionSalt: salt }: typeof other.localContext) => ({
    key,
    salt: salt.subarray(0, 12),
  });
  const ours = new SrtcpSession(portableDriver, keyOf(other.remoteContext), keyOf(other.localContext));
  return { ours, other };
}

test('should be understood by another implementation, and understand it', () => {
  const { ours, other } = withOther();
  const packets = [report(7), report(8), Buffer.concat([report(7), report(9)]), report(7).subarray(0, 8)];
  for (const packet of packets) {
    const sealed = ours.seal(packet);
    assert.equal(sealed.length, packet.length + 20);
    assert.deepEqual(sealed.subarray(0, 8), packet.subarray(0, 8));
    assert.ok(other.decrypt(Buffer.from(sealed)).equals(packet));
    assert.ok(ours.open(other.encrypt(packet))?.equals(packet));
  }
});

test('should count its packets from zero, with the flag that they are encrypted', () => {
  const { ours } = pair();
  const words = [7, 8, 7].map((ssrc) => ours.seal(report(ssrc)).readUInt32BE(48));
  assert.deepEqual(words, [0x80000000, 0x80000001, 0x80000002]);
});

test('should open a packet that is authenticated only (RFC 7714 section 9.3)', () => {
  const packet = report(0);
  const index = Buffer.from([0, 0, 0, 5]);
  const iv = Buffer.from(THEIRS.salt);
  iv[11]! ^= 5;
  const cipher = createCipheriv('aes-128-gcm', THEIRS.key, iv).setAAD(Buffer.concat([packet, index]));
  cipher.final();
  const plain = Buffer.concat([packet, cipher.getAuthTag(), index]);
  const changed = Buffer.from(plain);
  changed[20]! ^= 1;
  const { ours } = pair();
  assert.equal(ours.open(changed), undefined);
  assert.ok(ours.open(plain)?.equals(packet));
  assert.equal(ours.open(plain), undefined);
});

test('should open packets in any order within the window, each SSRC by its own count, and after a leap', () => {
  const { ours, other } = withOther();
  const packets = Array.from({ length: 66 }, () => other.encrypt(report(7)));
  assert.ok(ours.open(packets[65]!));
  assert.ok(ours.open(packets[2]!));
  assert.equal(ours.open(packets[1]!), undefined, 'older than the window');
  assert.ok(ours.open(packets[40]!));
  assert.equal(ours.open(packets[2]!), undefined, 'the second time');
  assert.ok(ours.open(other.encrypt(report(8))));
  other.localContext.setIndex(7, 0x7ffffff0);
  assert.ok(ours.open(other.encrypt(report(7))));
  assert.equal(ours.open(packets[41]!), undefined, 'long ago');
});

test('security: should open no packet twice, none that was changed or cut, and none of another key', () => {
  const { ours, theirs } = pair();
  const packet = theirs.seal(report(7));
  for (let at = 0; at < packet.length; at++) {
    const changed = Buffer.from(packet);
    changed[at]! ^= 1;
    assert.equal(ours.open(changed), undefined, `byte ${at}`);
    assert.equal(ours.open(packet.subarray(0, at)), undefined, `${at} bytes`);
  }
  assert.equal(new SrtcpSession(portableDriver, OURS, OTHER).open(packet), undefined);
  assert.ok(ours.open(packet)?.equals(report(7)));
  assert.equal(ours.open(packet), undefined);
  // One's own packet, sent back.
  assert.equal(ours.open(ours.seal(report(7))), undefined);
});

test('should survive any datagram and any number of senders', () => {
  const { ours, theirs } = pair();
  for (let ssrc = 0; ssrc < 100; ssrc++) assert.ok(ours.open(theirs.seal(report(ssrc))));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      assert.equal(ours.open(Buffer.from(bytes)), undefined);
    }),
    { numRuns: 1_000 },
  );
});

test('should close both of its ciphers', () => {
  const open = new Set<GcmCipher>();
  const driver: MediaDriver = {
    ...portableDriver,
    createCipher: (key) => {
      const cipher = portableDriver.createCipher(key);
      cipher.close = () => open.delete(cipher);
      open.add(cipher);
      return cipher;
    },
  };
  const session = new SrtcpSession(driver, OURS, THEIRS);
  assert.equal(open.size, 2);
  session.close();
  session.close();
  assert.equal(open.size, 0);
});
