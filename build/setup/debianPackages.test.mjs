import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingPackages } from './debianPackages.mjs';

const name = 'faceplate-no-such-package';

describe('missing Debian packages', () => {
  it('should miss a package that is not installed', () => {
    const program = 'faceplate-no-such-program';
    const wanted = [{ name, why: 'a test', programs: [program] }];
    assert.deepEqual(missingPackages(wanted), wanted);
  });

  it('should not miss a package whose program or folder exists without it', () => {
    assert.deepEqual(missingPackages([{ name, why: 'a test', programs: ['sh'] }]), []);
    assert.deepEqual(missingPackages([{ name, why: 'a test', folder: '/' }]), []);
  });
});
