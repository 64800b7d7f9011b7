import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createLogger, silentLogger } from '../platform/log.ts';
import { makeOwnCertificate } from '../platform/tls/ownCertificate.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { intercomCertificate } from './parts.ts';

function setUp(): { dataDir: string; path: string } {
  const dataDir = temporaryFolder('intercom-cert');
  return { dataDir, path: join(dataDir, 'intercom-certificate.json') };
}

test('should make one certificate and keep it, even if the panel gets another name', async () => {
  const { dataDir } = setUp();
  const made = await intercomCertificate({ dataDir, name: 'Hall', log: silentLogger() });
  assert.equal(new X509Certificate(made.cert).subject, 'CN=Hall');
  assert.deepEqual(await intercomCertificate({ dataDir, name: 'Attic', log: silentLogger() }), made);
});

test('security: should keep the key from other users, and out of the log', async () => {
  const { dataDir, path } = setUp();
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = createLogger('trace', sink);
  const { key } = await intercomCertificate({ dataDir, name: 'Hall', log });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  chmodSync(path, 0o644);
  await intercomCertificate({ dataDir, name: 'Hall', log });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(lines.length, 1);
  assert.ok(!lines[0]!.includes(key.split('\n')[1]!));
});

test('should set a file aside that holds no usable pair, and make a new one', async () => {
  const { key } = await makeOwnCertificate('Hall');
  const { cert } = await makeOwnCertificate('Hall');
  for (const text of ['', '{}', 'null', JSON.stringify({ key, cert }), JSON.stringify({ key: 'x', cert })]) {
    const { dataDir, path } = setUp();
    writeFileSync(path, text);
    const made = await intercomCertificate({ dataDir, name: 'Hall', log: silentLogger() });
    assert.notEqual(made.cert, cert);
    assert.equal(readdirSync(dataDir).filter((name) => name.includes('.corrupt-')).length, 1, text);
  }
});

test('should not use a key that cannot be kept', async () => {
  const { dataDir } = setUp();
  writeFileSync(join(dataDir, 'file'), '');
  const needs = { dataDir: join(dataDir, 'file'), name: 'Hall', log: silentLogger() };
  await assert.rejects(intercomCertificate(needs), { code: 'STORAGE_FULL' });
});
