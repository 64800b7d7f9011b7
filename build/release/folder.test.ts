import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { developersSigner, type Signer } from '../packages/updateKeys.ts';
import { ReleaseError } from './arguments.ts';
import { contentsText } from './contents.ts';
import { ReleaseFolder } from './folder.ts';

let work: string;
let signer: Signer;
let other: Signer;
before(() => {
  work = temporaryFolder('release');
  signer = developersSigner(() => {}, { XDG_CONFIG_HOME: join(work, 'one') });
  other = developersSigner(() => {}, { XDG_CONFIG_HOME: join(work, 'other') });
});

async function release(out: string, files: Readonly<Record<string, string>>): Promise<void> {
  const folder = new ReleaseFolder(out);
  folder.begin();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  await folder.finish(signer);
}

/** The line of CONTENTS.txt. */
function verify(folder: string, certificate: string): void {
  const line = /openssl cms [^\n]+ \\\n[^\n]+/.exec(contentsText('1', []))![0];
  execFileSync('sh', ['-c', line.replace('-certfile update.pem', `-certfile ${certificate}`)], {
    cwd: folder,
    stdio: 'pipe',
  });
}

test('should sum and sign every file, as sha256sum and openssl check it', async () => {
  const out = join(work, 'release');
  await release(out, { 'a.deb': 'a', 'b.img.zst': 'b' });
  assert.deepEqual(readdirSync(out), ['SHA256SUMS', 'SHA256SUMS.p7s', 'a.deb', 'b.img.zst', 'update.pem']);
  const said = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
    cwd: out,
    encoding: 'utf8',
  });
  assert.equal(said, 'a.deb: OK\nb.img.zst: OK\nupdate.pem: OK\n');
  verify(out, signer.certificate);
  assert.equal(existsSync(`${out}.unfinished`), false);
});

test('security: should not hold against another key, nor with another sum', async () => {
  const out = join(work, 'judged');
  await release(out, { 'a.deb': 'a' });
  assert.throws(() => verify(out, other.certificate), /signer certificate not found/);
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
  writeFileSync(
    join(out, 'SHA256SUMS'),
    sums.replace(/^../, (digits) => (digits === '00' ? '11' : '00')),
  );
  assert.throws(() => verify(out, signer.certificate), /digest|verif/i);
});

test('should replace the release before only when the next one is whole', async () => {
  const out = join(work, 'twice');
  await release(out, { 'old.deb': 'old' });
  const next = new ReleaseFolder(out);
  next.begin();
  writeFileSync(join(next.path, 'new.deb'), 'new');
  assert.ok(existsSync(join(out, 'old.deb')));
  // A try that was given up is gone with the next one.
  await release(out, { 'newer.deb': 'newer' });
  assert.deepEqual(readdirSync(out), ['SHA256SUMS', 'SHA256SUMS.p7s', 'newer.deb', 'update.pem']);
  assert.deepEqual(
    readdirSync(work).filter((name) => name.startsWith('twice')),
    ['twice'],
  );
});

test('security: should remove no folder that is not a release', () => {
  const out = join(work, 'photos');
  mkdirSync(out);
  writeFileSync(join(out, 'cat.jpg'), '');
  const refuses = (error: unknown) => error instanceof ReleaseError && /it stays/.test(error.message);
  assert.throws(() => new ReleaseFolder(out).begin(), refuses);
  assert.throws(() => new ReleaseFolder(join(out, 'cat.jpg')).begin(), refuses);
  assert.deepEqual(readdirSync(out), ['cat.jpg']);
  assert.equal(existsSync(`${out}.unfinished`), false);
});

test('should say what each file is', () => {
  const names = [
    'faceplate_1.2.3_arm64.deb',
    'faceplate_1.2.3_arm64.deb.cdx.json',
    'faceplate-1.2.3-amd64.cdx.json',
    'faceplate-1.2.3-amd64.img.zst',
    'faceplate-1.2.3-amd64.packages.txt',
    'faceplate-1.2.3-amd64.raucb',
    'faceplate-1.2.3-docs.tar.gz',
    'faceplate-client-1.2.3.tgz',
    'faceplate-types-1.2.3.tgz',
    'channel.json',
    'CHANGELOG.md',
  ];
  const text = contentsText('1.2.3', names);
  assert.doesNotMatch(text, /not described/);
  assert.match(text, /arm64\.deb\.cdx\.json {2}.*of the Debian package/);
  assert.match(text, /amd64\.cdx\.json .*of the image/);
});
