import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingPackages, panelPackages } from './debianPackages.mjs';

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

describe('packages of the virtual panel', () => {
  const names = (arch) => panelPackages(arch).map(({ name }) => name);

  it('should be those of the machine that is asked for', () => {
    assert.deepEqual(names('amd64'), ['qemu-system-x86', 'ovmf', 'acpica-tools', 'qemu-utils', 'zstd']);
    assert.deepEqual(names('arm64'), ['qemu-system-arm', 'qemu-efi-aarch64', 'qemu-utils', 'zstd']);
  });

  it('should be none where the command will refuse the machine', () => {
    assert.deepEqual(names('riscv64'), []);
  });
});
