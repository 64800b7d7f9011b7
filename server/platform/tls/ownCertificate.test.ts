import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { makeOwnCertificate } from './ownCertificate.ts';

test('should make a certificate that openssl accepts as its own authority', async () => {
  const folder = temporaryFolder('own-cert');
  const file = join(folder, 'cert.pem');
  writeFileSync(file, (await makeOwnCertificate('Hall')).cert);
  const openssl = (...args: string[]): string => execFileSync('openssl', args, { encoding: 'utf8' });
  const text = openssl('x509', '-in', file, '-noout', '-text');
  for (const fact of ['Version: 3', 'Signature Algorithm: ecdsa-with-SHA256', 'prime256v1', 'CA:FALSE'])
    assert.ok(text.includes(fact), `${fact} in ${text}`);
  assert.match(text, /Issuer: CN ?= ?Hall\n(?:.*\n)*.*Subject: CN ?= ?Hall\n/);
  assert.match(openssl('verify', '-CAfile', file, file), /: OK/);
});

test('should match its own key, be valid whatever the clock says, and differ from every other', async () => {
  const made = [await makeOwnCertificate('#1, "Küche" = 🚪'), await makeOwnCertificate('x'.repeat(300))];
  const [kitchen, long] = made.map(({ cert }) => new X509Certificate(cert));
  for (const [index, certificate] of [kitchen!, long!].entries()) {
    assert.ok(certificate.checkPrivateKey(createPrivateKey(made[index]!.key)));
    assert.ok(certificate.verify(certificate.publicKey));
    assert.deepEqual(
      [certificate.validFrom, certificate.validTo].map((date) => new Date(date).getUTCFullYear()),
      [2020, 2049],
    );
    assert.match(certificate.serialNumber, /^[4-7][0-9A-F]{31}$/);
  }
  assert.equal(kitchen!.subject, 'CN=\\#1\\, \\"Küche\\" = 🚪');
  assert.equal(long!.subject, `CN=${'x'.repeat(64)}`);
  assert.notEqual(kitchen!.serialNumber, long!.serialNumber);
  assert.notEqual(made[0]!.key, made[1]!.key);
});
