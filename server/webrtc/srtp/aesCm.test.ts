import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ProtectionProfileAes128CmHmacSha1_80, RtpHeader, SrtcpSession, SrtpSession } from 'werift';
import { rtpPacket } from '../../testing/scriptedCamera.ts';
import { AesCmSession, CRYPTO_SUITES, type CryptoSuite, createMaster, deriveKeys } from './aesCm.ts';

const SUITES = Object.keys(CRYPTO_SUITES) as CryptoSuite[];
const REPORT = Buffer.from('80c90001aabbccdd81ce0002aabbccdd00000001', 'hex');

/** werift's end of a connection whose packets both ends encrypt with the same key. */
function weriftSession<T>(
  make: new (config: ConstructorParameters<typeof SrtpSession>[0]) => T,
  master: Buffer,
): T {
  const [key, salt] = [master.subarray(0, 16), master.subarray(16)];
  return new make({
    profile: ProtectionProfileAes128CmHmacSha1_80,
    keys: { localMasterKey: key, localMasterSalt: salt, remoteMasterKey: key, remoteMasterSalt: salt },
  });
}

test('should derive the session keys of RFC 3711 appendix B.3', () => {
  const master = Buffer.from('E1F97A0D3E018BE0D64FA32C06DE41390EC675AD498AFEEBB6960B3AABE6', 'hex');
  const { key, auth, salt } = deriveKeys(master, 0);
  assert.equal(key.toString('hex').toUpperCase(), 'C61E7A93744F39EE10734AFE3FF7A087');
  assert.equal(salt.toString('hex').toUpperCase(), '30CBBC08863D8C85D49DB34A9AE1');
  assert.equal(auth.toString('hex').toUpperCase(), 'CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4');
});

test('should be understood by another implementation, and understand it', () => {
  const master = createMaster();
  const ours = new AesCmSession('AES_CM_128_HMAC_SHA1_80', master);
  const theirs = weriftSession(SrtpSession, master);
  for (const sequence of [65_534, 65_535, 0, 1]) {
    const packet = rtpPacket(sequence, 7, false, Buffer.from('some sound'));
    assert.ok(theirs.decrypt(ours.protectRtp(packet)).equals(packet), `${sequence}`);
  }
  const reader = new AesCmSession('AES_CM_128_HMAC_SHA1_80', master);
  const sealed = theirs.encrypt(Buffer.from('hello'), new RtpHeader({ sequenceNumber: 5, ssrc: 9 }));
  assert.equal(reader.unprotectRtp(sealed)?.subarray(12).toString(), 'hello');
  const reports = weriftSession(SrtcpSession, master);
  assert.ok(reports.decrypt(ours.protectRtcp(REPORT)).equals(REPORT));
  assert.ok(reader.unprotectRtcp(reports.encrypt(REPORT))?.equals(REPORT));
});

for (const suite of SUITES) {
  test(`security: should accept each packet of ${suite} once, and none that was changed`, () => {
    const master = createMaster();
    const [sender, receiver] = [new AesCmSession(suite, master), new AesCmSession(suite, master)];
    const sealed = Array.from({ length: 4 }, (_, i) =>
      sender.protectRtp(rtpPacket(i, i, true, Buffer.from('x'))),
    );
    assert.equal(sealed[0]!.length, 12 + 1 + CRYPTO_SUITES[suite]);
    for (const index of [0, 2, 1]) assert.ok(receiver.unprotectRtp(sealed[index]!), `${index}`);
    for (const index of [0, 1, 2])
      assert.equal(receiver.unprotectRtp(sealed[index]!), undefined, `${index} again`);
    const report = sender.protectRtcp(REPORT);
    for (const [data, open] of [
      [sealed[3]!, (packet: Buffer) => receiver.unprotectRtp(packet)],
      [report, (packet: Buffer) => receiver.unprotectRtcp(packet)],
    ] as const) {
      for (let at = 0; at < data.length; at++) {
        const changed = Buffer.from(data);
        changed[at]! ^= 1;
        assert.equal(open(changed), undefined, `byte ${at}`);
      }
      assert.ok(open(data) !== undefined);
      assert.equal(open(data), undefined, 'the second time');
    }
    const stranger = new AesCmSession(suite, createMaster());
    assert.equal(stranger.unprotectRtp(sealed[3]!), undefined);
  });
}

test('should hear the reports of a sender that was not heard from the first, and of one that begins anew', () => {
  const master = createMaster();
  const make = () => new AesCmSession('AES_CM_128_HMAC_SHA1_80', master);
  const [sender, next, receiver] = [make(), make(), make()];
  const anew = Buffer.from(REPORT);
  anew.writeUInt32BE(0x11223344, 4);
  let late = sender.protectRtcp(REPORT);
  for (let n = 0; n <= 0x10000; n++) late = sender.protectRtcp(REPORT);
  assert.ok(receiver.unprotectRtcp(late)?.equals(REPORT));
  const first = next.protectRtcp(anew);
  assert.ok(receiver.unprotectRtcp(first)?.equals(anew));
  assert.equal(receiver.unprotectRtcp(first), undefined);
});

test('should survive any datagram', () => {
  const receiver = new AesCmSession('AES_CM_128_HMAC_SHA1_32', createMaster());
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      assert.equal(receiver.unprotectRtp(Buffer.from(bytes)), undefined);
      assert.equal(receiver.unprotectRtcp(Buffer.from(bytes)), undefined);
    }),
    { numRuns: 2_000 },
  );
});
