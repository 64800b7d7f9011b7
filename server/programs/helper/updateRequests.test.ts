import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, test } from 'node:test';
import { memoryRecord } from '../../testing/kioskSession.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { signDeb } from '../../testing/signedFiles.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { answerRequest } from './packageHelper.ts';
import type { TrustedKeys } from './trustedKeys.ts';

const noDpkg = !existsSync('/usr/bin/dpkg-deb') && 'needs dpkg-deb (a Debian system)';
const noRoot = process.getuid?.() !== 0 && 'needs root, to give a file to somebody else';
const [ours, others] = [selfSigned('DNS:a'), selfSigned('DNS:b')];

describe('a version that the root helper gets', { skip: noDpkg }, () => {
  let root: string;
  let from: string;
  let state: string;
  let started: number;
  let updates: TrustedKeys;
  let manifest: string;

  before(() => {
    root = temporaryFolder('helper-update');
    from = join(root, 'update');
    manifest = join(root, 'package.json');
    state = join(root, 'versions');
    mkdirSync(from);
    writeFileSync(join(root, 'prove.sh'), 'the program');
    build('plain', 'faceplate');
    build('good', 'faceplate', ours);
    build('stranger', 'faceplate', others);
    build('other', 'something', ours);
    writeFileSync(join(root, 'outside.deb'), readFileSync(join(from, 'good.deb')));
    symlinkSync(join(root, 'outside.deb'), join(from, 'link.deb'));
  });
  beforeEach(() => {
    rmSync(state, { recursive: true, force: true });
    mkdirSync(state);
    started = 0;
    updates = { pem: ours.cert };
    writeFileSync(manifest, '{}');
  });

  function build(name: string, packageName: string, signer?: typeof ours): void {
    const tree = mkdtempSync(join(root, 'tree-'));
    mkdirSync(join(tree, 'DEBIAN'));
    const control = `Package: ${packageName}\nVersion: 1.1.0\nArchitecture: all\nMaintainer: N <n@example.org>\nDescription: x\n`;
    writeFileSync(join(tree, 'DEBIAN/control'), control);
    const file = join(from, `${name}.deb`);
    // The same bytes each time: packages of one content differ by the second in which they are made.
    const env = { ...process.env, SOURCE_DATE_EPOCH: '1000000000' };
    execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, file], { env, stdio: 'ignore' });
    if (signer !== undefined) signDeb(file, signer);
  }

  const ask = (request: object) =>
    answerRequest(JSON.stringify(request), {
      installDir: join(root, 'packages'),
      updateFolders: { from, state, program: join(root, 'prove.sh'), manifest },
      slots: { slot: null, grubenv: '', from: '', state: '', manifest: '' },
      provision: { boot: '', chosenName: '' },
      record: memoryRecord(),
      keys: { packages: async () => ({ pem: ours.cert + others.cert }), updates: async () => updates },
      startProving: async () => {
        started++;
      },
    });
  const begin = (name: string) => ask({ verb: 'update-begin', path: join(from, name) });
  const read = (name: string) => readFileSync(join(state, name), 'utf8');

  test('should be handed to the program that proves it, without its signature', async () => {
    writeFileSync(join(state, 'taken-back'), 'of another time');
    assert.deepEqual(await begin('good.deb'), {});
    assert.equal(read('step'), 'install\n');
    assert.equal(read('prove.sh'), 'the program');
    assert.equal(existsSync(join(state, 'taken-back')), false);
    assert.deepEqual(readFileSync(join(state, 'next.deb')), readFileSync(join(from, 'plain.deb')));
    assert.equal(started, 1);
  });

  test('security: should belong to root from then on, whoever brought it', { skip: noRoot }, async () => {
    chownSync(join(from, 'good.deb'), 65534, 65534);
    assert.deepEqual(await begin('good.deb'), {});
    for (const name of ['next.deb', 'prove.sh', 'step']) {
      const { uid, gid, mode } = statSync(join(state, name));
      assert.deepEqual([uid, gid, mode & 0o022], [0, 0, 0], name);
    }
  });

  test('security: should be refused when it is not ours, not signed, or by a key for other packages', async () => {
    for (const [name, code] of [
      ['plain.deb', 'INVALID_REQUEST'],
      ['stranger.deb', 'INVALID_REQUEST'],
      ['other.deb', 'INVALID_REQUEST'],
      ['link.deb', 'FORBIDDEN'],
      ['../outside.deb', 'FORBIDDEN'],
      ['missing.deb', 'NOT_FOUND'],
    ] as const)
      assert.equal((await begin(name)).code, code, name);
    updates = { none: '/etc/faceplate/update-keys.pem is not there' };
    const answer = await begin('good.deb');
    assert.equal(answer.code, 'UNSUPPORTED_HARDWARE');
    assert.match(answer.error ?? '', /update-keys\.pem is not there/);
    assert.equal(started, 0);
    assert.equal(existsSync(join(state, 'step')), false);
  });

  test('security: should be refused while another one is under way', async () => {
    writeFileSync(join(state, 'step'), 'prove\n');
    assert.equal((await begin('good.deb')).code, 'CONFLICT');
    assert.equal(existsSync(join(state, 'next.deb')), false);
  });

  test('security: should be refused below the oldest version, whoever names it, and whatever is said later', async () => {
    const [line, lower] = ['oldest-version: 1.2.0\n', 'oldest-version: 1.0.0\n'];
    const refused = {
      code: 'INVALID_REQUEST',
      error: '1.1.0 is older than 1.2.0, the oldest version that this panel takes.',
    };
    assert.deepEqual(await begin('good.deb'), {});
    rmSync(join(state, 'step'));
    // The file of keys, before or behind its certificates; the highest line counts.
    for (const pem of [line + ours.cert, `${ours.cert}${lower}${line}${lower}`]) {
      updates = { pem };
      assert.deepEqual(await begin('good.deb'), refused);
      // It is kept: neither another file nor an older version that runs takes it away.
      updates = { pem: ours.cert + lower };
      assert.deepEqual(await begin('good.deb'), refused);
      assert.equal(read('oldest-version'), '1.2.0\n');
      assert.equal(statSync(join(state, 'oldest-version')).mode & 0o777, 0o644);
      rmSync(join(state, 'oldest-version'));
    }
    // The version that runs.
    writeFileSync(manifest, '{ "oldestVersion": "1.2.0" }');
    assert.deepEqual(await begin('good.deb'), refused);
    writeFileSync(manifest, '{}');
    assert.deepEqual(await begin('good.deb'), refused);
    assert.equal(existsSync(join(state, 'step')), false);
    writeFileSync(join(state, 'oldest-version'), '1.1.0\n');
    assert.deepEqual(await begin('good.deb'), {});
  });

  test('security: should be returned from below the oldest version only while it proves itself', async () => {
    updates = { pem: `oldest-version: 1.1.0\n${ours.cert}` };
    writeFileSync(join(state, 'before.deb'), '');
    writeFileSync(join(state, 'before'), '1.0.9\n');
    const { code, error } = await ask({ verb: 'update-return' });
    assert.equal(code, 'CONFLICT');
    assert.match(error ?? '', /older than 1\.1\.0/);
    assert.equal(started, 0);
    writeFileSync(join(state, 'step'), 'prove\n');
    assert.deepEqual(await ask({ verb: 'update-return' }), {});
    assert.equal(read('step'), 'back\n');
  });

  test('security: should keep the oldest version of one that has proved itself', async () => {
    writeFileSync(manifest, '{ "oldestVersion": "1.1.0" }');
    writeFileSync(join(state, 'step'), 'prove\n');
    assert.deepEqual(await ask({ verb: 'update-good' }), {});
    assert.equal(read('oldest-version'), '1.1.0\n');
  });

  test('should be good only while it is tried', async () => {
    assert.deepEqual(await ask({ verb: 'update-good' }), {});
    assert.equal(existsSync(join(state, 'good')), false);
    for (const step of ['install', 'prove']) {
      writeFileSync(join(state, 'step'), `${step}\n`);
      assert.deepEqual(await ask({ verb: 'update-good' }), {});
      assert.ok(existsSync(join(state, 'good')));
      rmSync(join(state, 'good'));
    }
    writeFileSync(join(state, 'step'), 'back\n');
    assert.deepEqual(await ask({ verb: 'update-good' }), {});
    assert.equal(existsSync(join(state, 'good')), false);
  });

  test('should be left for the version before where there is one', async () => {
    assert.equal((await ask({ verb: 'update-return' })).code, 'CONFLICT');
    writeFileSync(join(state, 'before.deb'), '');
    writeFileSync(join(state, 'before'), '1.0.0\n');
    assert.deepEqual(await ask({ verb: 'update-return' }), {});
    assert.equal(read('step'), 'back\n');
    assert.equal(read('prove.sh'), 'the program');
    assert.equal(started, 1);
    // It is on its way already, after a power cut for example.
    rmSync(join(state, 'before.deb'));
    assert.deepEqual(await ask({ verb: 'update-return' }), {});
    assert.equal(started, 2);
  });

  test('security: should refuse requests with more than they need', async () => {
    for (const request of [
      { verb: 'update-begin' },
      { verb: 'update-begin', path: 'relative.deb' },
      { verb: 'update-return', path: '/etc/passwd' },
      { verb: 'update-good', packageName: 'faceplate' },
      { verb: 'update-begin', path: join(from, 'good.deb'), packageName: '' },
    ])
      assert.equal((await ask(request)).code, 'INVALID_REQUEST', JSON.stringify(request));
  });
});
