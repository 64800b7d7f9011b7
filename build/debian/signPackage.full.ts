import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { channelEntry } from '../../server/parts/update/contract.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { addToChannel } from '../packages/updateChannel.ts';
import { developersSigner } from '../packages/updateKeys.ts';
import { signPackage } from './signPackage.ts';

const noTools = !existsSync('/usr/bin/dpkg-deb') && 'needs dpkg-deb (a Debian system)';

describe('the packages of a release', { skip: noTools }, () => {
  let work: string;
  let file: string;
  before(() => {
    work = temporaryFolder('release');
    const tree = join(work, 'tree');
    mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
    const control =
      'Package: faceplate\nVersion: 1.2.3\nArchitecture: amd64\nMaintainer: N <n@example.org>\nDescription: x\n';
    writeFileSync(join(tree, 'DEBIAN/control'), control);
    file = join(work, 'faceplate_1.2.3_amd64.deb');
    execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, file], { stdio: 'pipe' });
  });

  test("should be signed by the developer's own key", () => {
    const environment = { XDG_CONFIG_HOME: join(work, 'config') };
    const signer = developersSigner(() => {}, environment);
    const bytes = readFileSync(file);
    signPackage(file, signer);
    const signed = readFileSync(file);
    assert.deepEqual(signed.subarray(0, bytes.length), bytes);
    assert.equal(signed.length % 2, 0);
    assert.equal(execFileSync('dpkg-deb', ['--field', file, 'Version'], { encoding: 'utf8' }), '1.2.3\n');
    // As openssl alone sees it.
    const [content, origin] = [join(work, 'content'), join(work, 'origin')];
    writeFileSync(content, bytes);
    const length = Number(signed.subarray(bytes.length + 48, bytes.length + 58).toString());
    writeFileSync(origin, signed.subarray(bytes.length + 60, bytes.length + 60 + length));
    const verify = ['cms', '-verify', '-binary', '-inform', 'DER', '-in', origin, '-content', content];
    const trust = ['-CAfile', signer.certificate, '-purpose', 'any', '-no_check_time', '-out', '/dev/null'];
    execFileSync('openssl', [...verify, ...trust], { stdio: 'pipe' });
    writeFileSync(content, 'something else');
    assert.throws(() => execFileSync('openssl', [...verify, ...trust], { stdio: 'pipe' }));
  });

  test('should stand in a channel that panels understand, each once, and none that is gone', async () => {
    const other = join(work, 'faceplate_1.2.3_arm64.deb');
    writeFileSync(other, 'arm');
    await addToChannel(other, { version: '1.2.3', board: 'debian-arm64' });
    await addToChannel(file, { version: '1.2.3', board: 'debian-amd64' });
    await addToChannel(file, { version: '1.2.3', board: 'debian-amd64' });
    const read = () => JSON.parse(readFileSync(join(work, 'channel.json'), 'utf8')) as unknown[];
    assert.deepEqual(
      read().map((entry) => channelEntry.parse(entry).boards),
      [['debian-amd64'], ['debian-arm64']],
    );
    const [{ sha256, size, url }] = read() as [{ sha256: string; size: number; url: string }];
    assert.equal(url, 'faceplate_1.2.3_amd64.deb');
    assert.equal(size, statSync(file).size);
    assert.equal(sha256, createHash('sha256').update(readFileSync(file)).digest('hex'));
    rmSync(other);
    await addToChannel(file, { version: '1.2.3', board: 'debian-amd64' });
    assert.equal(read().length, 1);
  });
});
