import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { selfSigned } from '../../testing/selfSigned.ts';
import { appendMember, signDeb } from '../../testing/signedFiles.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { DebianUpdates, debianBoard, inspectDebianBundle, SourcesUpdates } from './debianPackage.ts';

const noTools = !['/usr/bin/dpkg-deb', '/usr/bin/openssl'].every(existsSync) && 'needs dpkg-deb and openssl';
const [ours, second, stranger] = [selfSigned('DNS:a'), selfSigned('DNS:b'), selfSigned('DNS:c')];

describe('a bundle for a plain Debian', { skip: noTools }, () => {
  let root: string;
  let keys: string;
  before(() => {
    root = temporaryFolder('bundle');
    keys = join(root, 'update-keys.pem');
    writeFileSync(keys, second.cert + ours.cert);
    build('plain.deb', {});
    const sign = (name: string, signer: typeof ours, from = 'plain.deb') => {
      copyFileSync(join(root, from), join(root, name));
      signDeb(join(root, name), signer);
    };
    sign('good.deb', ours);
    sign('stranger.deb', stranger);
    build('other.deb', { Package: 'something' });
    sign('other-signed.deb', ours, 'other.deb');
    writeFileSync(join(root, 'no-package.deb'), '!<arch>\n');
    appendMember(join(root, 'no-package.deb'), 'hello', 'hello');
    sign('no-package-signed.deb', ours, 'no-package.deb');
  });

  function build(name: string, fields: Record<string, string>): void {
    const tree = mkdtempSync(join(root, 'tree-'));
    mkdirSync(join(tree, 'DEBIAN'));
    writeFileSync(join(tree, 'content'), 'x'.repeat(50_000));
    const control = {
      ...{ Package: 'faceplate', Version: '1.2.3', Architecture: 'amd64' },
      ...{ Maintainer: 'N <n@example.org>', Description: 'x' },
      ...fields,
    };
    const text = Object.entries(control).map(([key, value]) => `${key}: ${value}\n`);
    writeFileSync(join(tree, 'DEBIAN/control'), text.join(''));
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, join(root, name)]);
  }

  /** Judges a copy in a folder of its own, changed first. */
  async function judge(name: string, change: (path: string) => void = () => {}, keysPath = keys) {
    const folder = mkdtempSync(join(root, 'folder-'));
    const path = join(folder, 'bundle.deb');
    copyFileSync(join(root, name), path);
    change(path);
    const bytes = readFileSync(path);
    const bundle = await inspectDebianBundle(path, keysPath);
    // The installer needs the signature, and nothing else may be left.
    assert.deepEqual(readFileSync(path), bytes);
    assert.deepEqual(readdirSync(folder), ['bundle.deb']);
    return bundle;
  }

  test('should say which version it is and for which board, where one of the keys signed it', async () => {
    assert.deepEqual(await judge('good.deb'), {
      ...{ signature: 'known', version: '1.2.3', board: 'debian-amd64' },
    });
    assert.equal(debianBoard('x64'), 'debian-amd64');
    assert.equal(debianBoard('arm64'), 'debian-arm64');
  });

  test('security: should count as not signed when a byte is changed, anything is cut off or added', async () => {
    const none = { signature: 'none' };
    assert.deepEqual(await judge('plain.deb'), none);
    for (const at of [1_000, 20_000]) {
      const changed = (path: string) => {
        const bytes = readFileSync(path);
        bytes[at] = bytes[at]! ^ 1;
        writeFileSync(path, bytes);
      };
      assert.deepEqual(await judge('good.deb', changed), none);
    }
    const { length } = readFileSync(join(root, 'good.deb'));
    for (const left of [0, 4, 8, 50, 30_000, length - 10])
      assert.deepEqual(await judge('good.deb', (path) => truncateSync(path, left)), none, String(left));
    assert.deepEqual(await judge('good.deb', (path) => appendMember(path, 'more', 'x')), none);
    const again = (path: string) => appendMember(path, '_cmsorigin', 'no signature');
    assert.deepEqual(await judge('good.deb', again), none);
    assert.deepEqual(await judge('plain.deb', again), none);
  });

  test('security: should say nothing of a bundle that another key signed, or where no key is known', async () => {
    const unknown = { signature: 'unknown' };
    assert.deepEqual(await judge('stranger.deb'), unknown);
    const empty = join(root, 'empty.pem');
    writeFileSync(empty, '');
    for (const path of [join(root, 'missing.pem'), empty, root])
      assert.deepEqual(await judge('good.deb', () => {}, path), unknown);
  });

  test('should count as not signed where it is no package of ours', async () => {
    assert.deepEqual(await judge('other-signed.deb'), { signature: 'none' });
    assert.deepEqual(await judge('no-package-signed.deb'), { signature: 'none' });
  });

  test('should be judged alike on a panel and where Faceplate runs from its sources, which installs none', async () => {
    const path = join(mkdtempSync(join(root, 'folder-')), 'bundle.deb');
    for (const driver of [new DebianUpdates({ keys }), new SourcesUpdates(keys)]) {
      copyFileSync(join(root, 'good.deb'), path);
      assert.equal((await driver.inspect(path)).signature, 'known');
      assert.equal(driver.board, debianBoard());
    }
    await assert.rejects(new SourcesUpdates(keys).install(), { code: 'UNSUPPORTED_HARDWARE' });
  });

  test("should be tried by apt's dry run, as it is with its signature", async () => {
    build('fits.deb', { Package: `faceplate-test-${process.pid}`, Architecture: 'all' });
    build('never.deb', { Architecture: 'all', Depends: 'faceplate-is-nowhere (>= 99)' });
    const driver = new DebianUpdates({ keys });
    const told: number[] = [];
    for (const name of ['fits.deb', 'never.deb']) signDeb(join(root, name), ours);
    await driver.install(join(root, 'fits.deb'), (percent) => told.push(percent));
    assert.deepEqual(told, [100]);
    await assert.rejects(
      driver.install(join(root, 'never.deb'), () => {}),
      {
        code: 'UPDATE_FAILED',
        message: /faceplate-is-nowhere/,
      },
    );
    const name = `faceplate-test-${process.pid}`;
    const known = execFileSync('sh', ['-c', `dpkg-query -s ${name} 2>&1 || true`], { encoding: 'utf8' });
    assert.match(known, /not installed/);
  });

  test('should say which version is before it, and why it was taken back', async () => {
    const folder = mkdtempSync(join(root, 'versions-'));
    const driver = new DebianUpdates({ keys, folder });
    assert.equal(await driver.before(), null);
    assert.equal(await driver.takenBack(), null);
    writeFileSync(join(folder, 'before'), '1.0.0\n');
    writeFileSync(join(folder, 'taken-back'), 'The installer failed.\n');
    assert.equal(await driver.before(), '1.0.0');
    assert.equal(await driver.takenBack(), 'The installer failed.');
  });
});
