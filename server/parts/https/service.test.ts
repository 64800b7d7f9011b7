import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createLogger } from '../../platform/log.ts';
import type { TlsIdentity } from '../../platform/tls/ownCertificate.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { CertificateFiles, type OwnNames, ownNames, SelfSignedCertificate } from './certificateSource.ts';
import { type CertificateSource, HttpsService } from './service.ts';

const first = selfSigned('DNS:first');
const second = selfSigned('DNS:second');
const DAY_MS = 86_400_000;

let folder = '';
let clock = new FakeWallClock('2026-11-22T08:00:00Z');
let logged = '';
let changed: TlsIdentity[] = [];
let service: HttpsService;
const log = createLogger('info', {
  write: (line: string) => {
    logged += line;
    return true;
  },
} as unknown as NodeJS.WritableStream);
const certificate = () => join(folder, 'cert.pem');
const key = () => join(folder, 'key.pem');

beforeEach(async () => {
  folder = temporaryFolder('https');
  clock = new FakeWallClock('2026-11-22T08:00:00Z');
  logged = '';
  changed = [];
});
afterEach(async () => {
  await service.stop();
  assert.equal(clock.pending, 0);
});

async function start(source: CertificateSource | null): Promise<void> {
  service = new HttpsService({ source, clock, log });
  service.onChanged((identity) => changed.push(identity));
  await service.start();
}

const write = async (pair: TlsIdentity) => {
  await writeFile(certificate(), pair.cert);
  await writeFile(key(), pair.key);
};

/** Two looks: the second begins only when the first has ended. */
async function looked(): Promise<void> {
  await clock.advance(10_000);
  await until(() => clock.pending === 1);
}

describe('HTTPS with files of the house', () => {
  const source = () => new CertificateFiles(certificate(), key());

  test('should show the certificate of the files, and its fingerprint', async () => {
    await write(first);
    await start(source());
    assert.equal(service.identity?.cert, first.cert);
    assert.equal(service.fingerprint, first.fingerprint);
    assert.match(service.fingerprint, /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/);
  });

  test('should take files that change within 30 s, and keep the pair in use while they do not fit', async () => {
    await write(first);
    await start(source());
    await writeFile(certificate(), second.cert);
    for (let i = 0; i < 3; i++) await looked();
    assert.equal(service.fingerprint, first.fingerprint);
    assert.equal(
      logged.split('\n').filter((line) => line.includes('does not belong')).length,
      1,
      'said once',
    );
    await rm(certificate());
    await looked();
    await writeFile(certificate(), 'nonsense');
    await looked();
    assert.deepEqual(changed, []);
    await write(second);
    for (let i = 0; i < 2; i++) await looked();
    assert.equal(service.fingerprint, second.fingerprint);
    assert.deepEqual(changed, [{ key: second.key, cert: second.cert }]);
  });

  test('security: should stay off, and say why, with a pair that does not fit or cannot be read', async () => {
    for (const [cert, secret, words] of [
      [first.cert, second.key, 'https.key does not belong to https.certificate'],
      ['nonsense', first.key, 'https.certificate holds no certificate'],
      [first.cert, 'nonsense', 'https.key holds no private key'],
    ] as const) {
      logged = '';
      await write({ cert, key: secret });
      await start(source());
      assert.equal(service.identity, undefined);
      assert.ok(logged.includes('HTTPS stays off') && logged.includes(words), logged);
      assert.ok(!logged.includes('PRIVATE KEY'));
    }
    for (const [one, other, words] of [
      [certificate(), '', 'https.key is not set'],
      ['', key(), 'https.certificate is not set'],
      [join(folder, 'none'), key(), 'https.certificate cannot be read'],
    ] as const) {
      logged = '';
      await start(new CertificateFiles(one, other));
      assert.equal(service.identity, undefined);
      assert.ok(logged.includes(words), logged);
    }
  });

  test('should do nothing while it is off', async () => {
    await start(null);
    assert.equal(service.identity, undefined);
    assert.equal(logged, '');
  });
});

describe("the panel's own certificate", () => {
  let names: OwnNames = { name: 'hall', names: [], addresses: [] };
  const path = () => join(folder, 'https-certificate.json');
  const source = () =>
    new SelfSignedCertificate({ dataDir: folder, names: () => names, now: () => clock.wall(), log });
  const shown = () => new X509Certificate(service.identity!.cert);
  beforeEach(() => {
    const addresses = [{ address: '127.0.0.1' }, { address: '192.168.1.7' }, { address: 'fe80::1%eth0' }];
    names = ownNames('Hall.lan', ['Panel.lan', '*.example.org'], addresses);
  });

  test('should hold every name and address, and be valid for 397 days', async () => {
    await start(source());
    const text = shown().subjectAltName;
    for (const name of ['hall.lan', 'hall', 'hall.local', 'localhost', 'panel.lan', '*.example.org'])
      assert.ok(text?.includes(`DNS:${name}`), `${name} in ${text}`);
    for (const address of ['127.0.0.1', '192.168.1.7', 'fe80::1'])
      assert.ok(shown().checkIP(address), address);
    assert.ok(shown().checkHost('a.example.org'));
    assert.equal(Date.parse(shown().validTo) - Date.parse(shown().validFrom), 397 * DAY_MS);
    assert.match(logged, /https: certificate created/);
  });

  test('security: should keep its key to itself: mode 0600, also of a restored file, and never in the log', async () => {
    await start(source());
    const stored = await readFile(path(), 'utf8');
    assert.ok(stored.includes('PRIVATE KEY'));
    assert.equal((await stat(path())).mode & 0o777, 0o600);
    const { fingerprint } = service;
    await service.stop();
    await rm(path());
    await writeFile(path(), stored, { mode: 0o644 });
    await start(source());
    assert.equal(service.fingerprint, fingerprint);
    assert.equal((await stat(path())).mode & 0o777, 0o600);
    assert.ok(!logged.includes('PRIVATE KEY'));
  });

  test('should be made anew for a name or an address that it lacks, and not for one that is gone', async () => {
    await start(source());
    const before = service.fingerprint;
    const all = names;
    names = { ...all, names: all.names.slice(1), addresses: [] };
    await looked();
    assert.equal(service.fingerprint, before);
    for (const wanted of [
      { ...all, addresses: [...all.addresses, '10.0.0.9'] },
      { ...all, names: [...all.names, 'new.lan'] },
    ]) {
      const last = service.fingerprint;
      names = wanted;
      await looked();
      assert.notEqual(service.fingerprint, last);
    }
    assert.equal(changed.length, 2);
    assert.ok(shown().checkHost('new.lan'));
  });

  test('should be made anew 30 days before it ends, and stay when the clock is far behind', async () => {
    await start(source());
    clock.jump(365 * DAY_MS);
    await looked();
    assert.equal(changed.length, 0);
    clock.jump(DAY_MS);
    await looked();
    assert.equal(changed.length, 1);
    clock.jump(-20 * 365 * DAY_MS);
    await looked();
    assert.equal(changed.length, 1);
  });
});
