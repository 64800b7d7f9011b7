import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { selfSigned } from '../../testing/selfSigned.ts';
import { makeRaucBundle, noRauc } from '../../testing/signedFiles.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { imageBoard, inspectRaucBundle } from './raucBundle.ts';
import { RaucUpdates } from './raucSlots.ts';

const [ours, second, stranger] = [selfSigned('DNS:a'), selfSigned('DNS:b'), selfSigned('DNS:c')];
const keys = second.cert + ours.cert;

describe('a bundle for a disk image', { skip: noRauc }, () => {
  let root: string;
  before(() => {
    root = temporaryFolder('bundle');
    makeRaucBundle(join(root, 'good.raucb'), ours);
    makeRaucBundle(join(root, 'stranger.raucb'), stranger);
    makeRaucBundle(join(root, 'plain.raucb'), ours, { format: 'plain' });
    // Three levels of the tree.
    makeRaucBundle(join(root, 'large.raucb'), ours, { content: Buffer.alloc(70 * 1024 ** 2, 'x') });
  });

  const judge = (name: string, known: string | undefined = keys, content = true) =>
    inspectRaucBundle(join(root, name), { keys: known, content });

  /** The same of a copy that was changed. */
  async function changed(change: (path: string) => void, content = true) {
    const path = join(root, 'changed.raucb');
    copyFileSync(join(root, 'good.raucb'), path);
    change(path);
    return inspectRaucBundle(path, { keys, content });
  }
  const flip = (at: number) => (path: string) => {
    const bytes = readFileSync(path);
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(path, bytes);
  };

  test('should say which version it is and for which board, where one of the keys signed it', async () => {
    const known = { signature: 'known', version: '1.2.3', board: 'faceplate-amd64' };
    assert.deepEqual(await judge('good.raucb'), known);
    assert.deepEqual(await judge('large.raucb'), known);
    assert.equal(imageBoard('x64'), 'faceplate-amd64');
    assert.equal(imageBoard('arm64'), 'faceplate-arm64');
  });

  test('should read the bundle as RAUC itself does', async () => {
    writeFileSync(join(root, 'ours.pem'), ours.cert);
    const args = ['--keyring', join(root, 'ours.pem'), 'info', '--no-check-time', '--output-format=json'];
    const info = JSON.parse(
      execFileSync('rauc', [...args, join(root, 'good.raucb')], { encoding: 'utf8', stdio: 'pipe' }),
    );
    const found = await judge('good.raucb', ours.cert);
    assert.deepEqual(found, { signature: 'known', version: info.version, board: info.compatible });
  });

  test('security: should count as not signed when any byte is changed, or anything is cut off or added', async () => {
    const none = { signature: 'none' };
    const { length } = readFileSync(join(root, 'good.raucb'));
    const cms = Number(readFileSync(join(root, 'good.raucb')).readBigUInt64BE(length - 8));
    const tree = length - 8 - cms - 4_096;
    // The head, the content, the tree, the manifest within the signature, the signature itself, its length.
    for (const at of [10, 1_000_000, tree + 100, tree + 4_095, length - cms + 100, length - 40, length - 1])
      assert.deepEqual(await changed(flip(at)), none, String(at));
    for (const left of [0, 7, 8, 5_000, 1_000_000, length - 8, length - 1])
      assert.deepEqual(await changed((path) => truncateSync(path, left)), none, String(left));
    const more = (path: string) => writeFileSync(path, 'more', { flag: 'a' });
    assert.deepEqual(await changed(more), none);
    const block = (path: string) =>
      writeFileSync(path, Buffer.concat([Buffer.alloc(4_096), readFileSync(path)]));
    assert.deepEqual(await changed(block), none);
  });

  test('should leave the content to the reader of blocks where only the signature is asked for', async () => {
    assert.equal((await changed(flip(1_000_000), false)).signature, 'known');
    assert.equal((await changed(flip(1_000_000), true)).signature, 'none');
  });

  test('security: should say nothing of a bundle that another key signed, or where no key is known', async () => {
    assert.deepEqual(await judge('stranger.raucb'), { signature: 'unknown' });
    assert.deepEqual(await judge('good.raucb', ''), { signature: 'unknown' });
    const driver = new RaucUpdates({ slot: 'A', keys: join(root, 'none.pem'), reboot: async () => {} });
    assert.deepEqual(await driver.inspect(join(root, 'good.raucb')), { signature: 'unknown' });
  });

  test('security: should take no other format, whoever signed it, and no other file', async () => {
    assert.deepEqual(await judge('plain.raucb'), { signature: 'none' });
    writeFileSync(join(root, 'text.raucb'), 'x'.repeat(10_000));
    assert.deepEqual(await judge('text.raucb'), { signature: 'none' });
    // It names a length of 2^63.
    writeFileSync(
      join(root, 'long.raucb'),
      Buffer.concat([Buffer.alloc(9_000), Buffer.from([128, 0, 0, 0, 0, 0, 0, 0])]),
    );
    assert.deepEqual(await judge('long.raucb'), { signature: 'none' });
  });

  test('should not look at the clock: a certificate that has ended counts', async () => {
    const file = (name: string) => join(root, name);
    const request = 'req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=old';
    const steps = [
      [...request.split(' '), '-keyout', file('old.key'), '-out', file('old.csr')],
      [...'x509 -req -days -1'.split(' '), '-in', file('old.csr'), '-signkey', file('old.key')],
    ];
    execFileSync('openssl', steps[0]!, { stdio: 'pipe' });
    execFileSync('openssl', [...steps[1]!, '-out', file('old.pem')], { stdio: 'pipe' });
    const old = { key: readFileSync(file('old.key'), 'utf8'), cert: readFileSync(file('old.pem'), 'utf8') };
    makeRaucBundle(file('old.raucb'), old);
    assert.equal((await judge('old.raucb', old.cert)).signature, 'known');
    assert.equal((await judge('old.raucb', ours.cert)).signature, 'unknown');
  });
});
