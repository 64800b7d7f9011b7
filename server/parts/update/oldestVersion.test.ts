import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { isTooOld, oldestInKeys, oldestVersion } from './oldestVersion.ts';

const PACKAGE = join(import.meta.dirname, '../../../package.json');
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

describe('the oldest version that a panel takes', () => {
  let state: string;
  before(() => {
    state = temporaryFolder('oldest');
  });

  test('should be named by lines of their own among the certificates', () => {
    const text = `words oldest-version: 9.0.0\r\nOldest-Version: 1.2.0\r\n${CERTIFICATE}oldest-version:1.3.0-rc.1`;
    assert.deepEqual(oldestInKeys(text), ['1.2.0', '1.3.0-rc.1']);
    assert.deepEqual(oldestInKeys(CERTIFICATE), []);
    assert.deepEqual(oldestInKeys(`oldest-version: \n${CERTIFICATE}`), ['']);
  });

  test('security: should be the highest that the version, the keys or the note name', async () => {
    const manifest = join(state, 'package.json');
    const oldest = (keys?: string) => oldestVersion({ keys, manifest, state });
    assert.equal(await oldest(), '0.0.0');
    writeFileSync(manifest, '{ "version": "3.0.0", "oldestVersion": "1.10.0" }');
    assert.equal(await oldest(CERTIFICATE), '1.10.0');
    assert.equal(await oldest(`oldest-version: 1.9.0\n${CERTIFICATE}`), '1.10.0');
    assert.equal(await oldest(`oldest-version: 1.10.1\n${CERTIFICATE}`), '1.10.1');
    writeFileSync(join(state, 'oldest-version'), '2.0.0\n');
    assert.equal(await oldest(`oldest-version: 1.10.1\n${CERTIFICATE}`), '2.0.0');
    // What no version can be compared with says nothing.
    writeFileSync(join(state, 'oldest-version'), 'cut');
    writeFileSync(manifest, '{ "oldestVersion": 7 }');
    assert.equal(await oldest('oldest-version: x'), '0.0.0');
  });

  test('security: should let nothing through that is no version', () => {
    assert.deepEqual(
      ['1.0.0', '1.0.1', '1.0.0-rc.1', '0.9.9', '1', ''].map((version) => isTooOld(version, '1.0.0')),
      [false, false, true, true, true, true],
    );
  });

  test('security: should be one that this version itself keeps to', () => {
    const { version, oldestVersion: own } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
    assert.equal(isTooOld(version, own), false);
  });
});
