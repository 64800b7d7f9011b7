import assert from 'node:assert/strict';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { FaceplateError } from '../contract/errors.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { loadToken } from './token.ts';

describe('the token', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = temporaryFolder('token');
  });

  it('security: should be valid at once when it is rotated, and the old one no longer', async () => {
    const token = loadToken(dataDir, '');
    const old = token.show().token;
    const { token: made } = token.rotate();
    assert.notEqual(made, old);
    assert.deepEqual([token.matches(old), token.matches(made)], [false, true]);
    const path = join(dataDir, 'token');
    assert.equal((await readFile(path, 'utf8')).trim(), made);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal(loadToken(dataDir, '').matches(made), true);
  });

  it('security: should be no other text than itself, also right after it was given', () => {
    for (const text of ['given-by-a-setting', 'schlüssel']) {
      const token = loadToken(dataDir, text);
      for (const more of ['', 'x', 'é', '€', '😀', 'xxxxx'])
        for (const candidate of [`${text}${more}`, `${more}${text}`, text.slice(1), text.slice(0, -1), ''])
          assert.deepEqual([token.matches(text), token.matches(candidate)], [true, candidate === text]);
      assert.equal(token.matches(text.toUpperCase()), false);
    }
  });

  it('should stay the one of the setting', () => {
    const token = loadToken(dataDir, 'given-by-a-setting');
    assert.deepEqual(token.show(), { token: 'given-by-a-setting', held: true });
    assert.throws(
      () => token.rotate(),
      (error) => error instanceof FaceplateError && error.code === 'CONFLICT',
    );
    assert.equal(token.matches('given-by-a-setting'), true);
  });

  it('should stay the same when the new one cannot be written', async () => {
    const token = loadToken(dataDir, '');
    const old = token.show().token;
    await rm(dataDir, { recursive: true });
    assert.throws(
      () => token.rotate(),
      (error) => error instanceof FaceplateError && error.code === 'STORAGE_FULL',
    );
    assert.equal(token.matches(old), true);
  });
});
