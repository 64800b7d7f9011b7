import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { commands } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { silentLogger } from '../../platform/log.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { CertificatesService } from './service.ts';

const first = new X509Certificate(selfSigned().cert);
const second = new X509Certificate(selfSigned().cert);
const CAMERA = { host: '192.168.1.20', port: 322 };
const REASON = 'DEPTH_ZERO_SELF_SIGNED_CERT';
const dataDir = temporaryFolder('certificates');
const path = join(dataDir, 'certificates.json');
beforeEach(() => rmSync(path, { force: true }));

/** @param show what the server shows when it is asked */
async function make(show: () => Promise<X509Certificate> = async () => first) {
  const asked: string[] = [];
  const ask = (host: string, port: number) => {
    asked.push(`${host} ${port}`);
    return show();
  };
  const now = () => Date.UTC(2026, 10, 21);
  const service = new CertificatesService({ probe: { ask }, dataDir, log: silentLogger(), now });
  await service.start();
  return { service, asked };
}

const fails = (code: string) => (error: unknown) => error instanceof FaceplateError && error.code === code;
const trustFirst = (service: CertificatesService) =>
  service.trust({ ...CAMERA, fingerprint: first.fingerprint256 });

describe('certificates that the system does not trust', () => {
  test('security: should be refused and listed until exactly this one is trusted for exactly this place', async () => {
    const { service } = await make();
    assert.deepEqual(service.list(), { certificates: [] });
    assert.equal(service.judge(CAMERA, first, REASON), 'refused');
    const [entry] = service.list().certificates;
    assert.deepEqual(entry, {
      ...CAMERA,
      state: 'refused',
      trusted: null,
      refused: {
        fingerprint: first.fingerprint256,
        subject: 'CN=device',
        issuer: 'CN=device',
        validFrom: new Date(first.validFrom).toISOString(),
        validTo: new Date(first.validTo).toISOString(),
        reason: REASON,
        lastSeen: '2026-11-21T00:00:00.000Z',
      },
    });
    const answer = await trustFirst(service);
    assert.equal(answer.state, 'trusted');
    assert.ok(commands['certificates.trust'].result.safeParse(answer).success);
    assert.ok(commands['certificates.list'].result.safeParse(service.list()).success);
    assert.equal(service.judge(CAMERA, first, REASON), 'trusted');
    assert.equal(service.judge({ ...CAMERA, port: 443 }, first, REASON), 'refused');
    assert.equal(service.judge({ ...CAMERA, host: '192.168.1.21' }, first, REASON), 'refused');
  });

  test('security: should be refused when another one comes later, and reported as changed', async () => {
    const { service } = await make();
    service.judge(CAMERA, first, REASON);
    await trustFirst(service);
    assert.equal(service.judge(CAMERA, second, REASON), 'changed');
    const [entry] = service.list().certificates;
    assert.equal(entry?.state, 'changed');
    assert.equal(entry?.trusted?.fingerprint, first.fingerprint256);
    assert.equal(entry?.refused?.fingerprint, second.fingerprint256);
    await service.trust({ ...CAMERA, fingerprint: second.fingerprint256 });
    assert.equal(service.judge(CAMERA, second, REASON), 'trusted');
    assert.equal(service.judge(CAMERA, first, REASON), 'changed');
  });

  test('security: should not be trusted unseen, nor by a fingerprint other than the one that was seen', async () => {
    const { service } = await make();
    await assert.rejects(trustFirst(service), fails('NOT_FOUND'));
    service.judge(CAMERA, second, REASON);
    await assert.rejects(trustFirst(service), fails('CONFLICT'));
    assert.equal(service.judge(CAMERA, first, REASON), 'refused');
  });

  test('should be trusted after a restart, from a file that only the service can read', async () => {
    const { service } = await make();
    service.judge(CAMERA, first, REASON);
    service.judge({ host: 'b.local', port: 443 }, second, REASON);
    await trustFirst(service);
    await service.stop();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(!readFileSync(path, 'utf8').includes('b.local'), 'refusals are not kept');
    const { service: next } = await make();
    assert.equal(next.judge(CAMERA, first, REASON), 'trusted');
    await next.forget(CAMERA);
    assert.equal(next.judge(CAMERA, first, REASON), 'refused');
    await next.forget(CAMERA);
    await assert.rejects(next.forget(CAMERA), fails('NOT_FOUND'));
  });

  test('security: should not be trusted by a file that cannot be read', async () => {
    writeFileSync(path, '{"pinned":"all"}');
    const { service } = await make();
    assert.equal(service.judge(CAMERA, first, REASON), 'refused');
  });

  test('security: should be dropped by age, so that no page can fill the memory', async () => {
    const { service } = await make();
    for (let port = 1; port <= 40; port++) service.judge({ host: 'a.local', port }, first, REASON);
    service.judge({ host: 'a.local', port: 9 }, first, REASON);
    service.judge({ host: 'a.local', port: 41 }, first, REASON);
    const ports = service.list().certificates.map(({ port }) => port);
    assert.equal(ports.length, 32);
    assert.ok(ports.includes(9) && !ports.includes(10));
  });

  test('should be fetched once for concurrent questions, and again for later ones', async () => {
    let answer = Promise.withResolvers<X509Certificate>();
    const { service, asked } = await make(() => answer.promise);
    const server = { host: '[::1]', port: 443 };
    const both = Promise.all([service.mayTrust(server, REASON), service.mayTrust(server, REASON)]);
    answer.resolve(first);
    assert.deepEqual(await both, [false, false]);
    assert.deepEqual(asked, ['::1 443']);
    await service.trust({ host: '::1', port: 443, fingerprint: first.fingerprint256 });
    assert.equal(await service.mayTrust(server, REASON), true);
    answer = Promise.withResolvers();
    answer.reject(new Error('gone'));
    assert.equal(await service.mayTrust(server, REASON), false);
    assert.equal(asked.length, 3);
  });

  test('should say why a server is refused for as long as it is, and call back when it is trusted', async () => {
    const { service, asked } = await make();
    assert.equal(await service.whyRefused(CAMERA), undefined);
    assert.deepEqual(asked, [], 'a server that was never refused is not asked');
    service.judge(CAMERA, second, REASON);
    const words = await service.whyRefused(CAMERA);
    assert.match(words ?? '', /192\.168\.1\.20 is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
    assert.ok(words?.includes(first.fingerprint256), 'of the certificate that it shows now');
    let calls = 0;
    let forgotten = 0;
    const end = service.onTrusted(() => calls++);
    service.onForgotten(() => forgotten++);
    await trustFirst(service);
    assert.equal(calls, 1);
    assert.equal(await service.whyRefused(CAMERA), undefined);
    end();
    service.judge(CAMERA, second, REASON);
    await service.trust({ ...CAMERA, fingerprint: second.fingerprint256 });
    assert.equal(calls, 1);
    assert.equal(service.judge(CAMERA, first, REASON), 'changed');
    assert.match((await service.whyRefused(CAMERA)) ?? '', /It is not the one that was trusted before/);
    assert.equal(forgotten, 0);
    await service.forget(CAMERA);
    assert.equal(forgotten, 1);
  });

  test('security: should stay listed when only our own question gets the trusted one', async () => {
    const { service } = await make();
    service.judge(CAMERA, first, REASON);
    await trustFirst(service);
    service.judgeShown(CAMERA, second, REASON);
    const stateNow = () => service.list().certificates[0]?.state;
    assert.equal(await service.mayTrust(CAMERA, REASON), true);
    assert.equal(stateNow(), 'changed');
    service.judgeShown(CAMERA, first, REASON);
    assert.equal(stateNow(), 'trusted');
  });

  test('security: should be pinned for one port only, for a browser too', async () => {
    const { service } = await make();
    service.judge(CAMERA, first, REASON);
    await trustFirst(service);
    assert.equal(service.judgeShown(CAMERA, first, REASON), 'trusted');
    assert.equal(service.judgeShown({ ...CAMERA, port: 443 }, first, REASON), 'refused');
    assert.equal(service.judgeShown({ host: 'b.local', port: 443 }, first, REASON), 'refused');
  });
});
