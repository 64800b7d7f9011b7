import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DtlsClient, ProtectionProfileAes128CmHmacSha1_80 } from 'werift';
import { takeRepeatedAnswer } from '../../testing/weriftPeer.ts';
import { createCertificate, DtlsPeer, fingerprintOf, type SecureMedia, transportOver } from './dtls.ts';

test('should complete a handshake in which each datagram comes twice, as from a slow viewer', async (t) => {
  const certificate = await createCertificate();
  const secure = Promise.withResolvers<SecureMedia>();
  const connected = Promise.withResolvers<void>();
  const twice = (take: () => void) => {
    setImmediate(take);
    setImmediate(take);
  };
  const server = new DtlsPeer(
    certificate,
    [{ algorithm: 'sha-256', digest: fingerprintOf(certificate).toUpperCase() }],
    {
      send: (datagram) => twice(() => transport.onData(datagram, ['127.0.0.1', 0])),
      onSecure: secure.resolve,
      onClosed: (reason) => secure.reject(new Error(reason)),
    },
  );
  const transport = transportOver((datagram) => twice(() => server.receive(datagram)));
  const client = new DtlsClient({
    cert: certificate.certPem,
    key: certificate.privateKey,
    signatureHash: certificate.signatureHash,
    srtpProfiles: [ProtectionProfileAes128CmHmacSha1_80],
    extendedMasterSecret: true,
    transport,
  });
  takeRepeatedAnswer(client);
  t.after(() => {
    server.close();
    client.dtls.flight = Number.MAX_SAFE_INTEGER;
  });
  client.onError.subscribe(connected.reject);
  client.onConnect.subscribe(connected.resolve);
  client.connect().catch(connected.reject);
  const [media] = await Promise.all([secure.promise, connected.promise]);
  const { localKey, localSalt } = client.extractSessionKeys(16, 14);
  assert.ok(media.profile === 'aesCm');
  assert.deepEqual(media.receiveMaster, Buffer.concat([localKey, localSalt]));
});
