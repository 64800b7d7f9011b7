import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addMissingEntries, missingEntries } from './lockfile.ts';

const lock = {
  packages: {
    'node_modules/tool': {
      version: '1.0.0',
      dev: true,
      optionalDependencies: {
        '@tool/linux-x64': '1.0.0',
        '@tool/linux-arm64-musl': '1.0.0',
        ranged: '^2.0.0',
      },
    },
    'node_modules/tool/node_modules/@tool/linux-x64': { version: '1.0.0' },
  },
};

describe('lock file', () => {
  it('should miss optional packages that have no entry', () => {
    const keys = missingEntries(lock).map(({ key }) => key);
    assert.deepEqual(keys, ['node_modules/@tool/linux-arm64-musl']);
  });

  it('should add them with the platform of their name', () => {
    const fixed = addMissingEntries(lock);
    assert.deepEqual(fixed.packages['node_modules/@tool/linux-arm64-musl'], {
      version: '1.0.0',
      cpu: ['arm64'],
      dev: true,
      libc: ['musl'],
      optional: true,
      os: ['linux'],
    });
    assert.deepEqual(missingEntries(fixed), []);
  });
});
