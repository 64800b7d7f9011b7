import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCHITECTURES, architectureFacts } from '../architectures.ts';
import {
  aptPins,
  dependencyNames,
  goneVersions,
  packageNames,
  packagesText,
  readInstalled,
  readPackagesText,
  readSimulated,
} from './packages.ts';

const PRINTED =
  'zlib1g:amd64\t1:1.3-1\tamd64\tzlib\nbash\t5.2-1+b1\tamd64\tbash\nfaceplate\t0.1.0\tamd64\tfaceplate\n';

test('should write every version once, sorted, without what the project itself makes', () => {
  assert.equal(packagesText(readInstalled(PRINTED)), 'bash=5.2-1+b1\nzlib1g=1:1.3-1\n');
});

test('should take the same versions again, older ones too', () => {
  const pinned = readPackagesText('bash=5.2-1+b1\nzlib1g=1:1.3-1\n');
  assert.equal(
    aptPins(pinned),
    'Package: bash\nPin: version 5.2-1+b1\nPin-Priority: 1001\n\nPackage: zlib1g\nPin: version 1:1.3-1\nPin-Priority: 1001\n',
  );
});

test('should name the versions that are gone', () => {
  const madison =
    '      bash | 5.2-1+b1 | http://127.0.0.1 trixie/main\n    zlib1g |  1:1.3-2 | http://127.0.0.1 x\n';
  const pinned = readPackagesText('bash=5.2-1+b1\nzlib1g=1:1.3-1\n');
  assert.deepEqual(goneVersions(pinned, madison), ['zlib1g=1:1.3-1']);
});

test('security: should refuse lines that would say more to apt than a version', () => {
  for (const line of ['bash', 'bash=1 2', 'bash=*', '*=1.0', 'bash=1\rPin: origin x', '-o=1'])
    assert.throws(() => readPackagesText(`${line}\n`), /no line like/, line);
});

test('should ask for the kernel of the architecture, and for no other', () => {
  for (const arch of ARCHITECTURES) {
    const kernels = packageNames(arch).filter((name) => name.startsWith('linux-image-'));
    assert.deepEqual(kernels, [`linux-image-${arch}`]);
    assert.deepEqual([...new Set(packageNames(arch))], packageNames(arch));
  }
  const onlyAmd64 = packageNames('amd64').filter((name) => !packageNames('arm64').includes(name));
  assert.deepEqual(onlyAmd64, ['firmware-amd-graphics', 'firmware-intel-graphics', 'linux-image-amd64']);
});

test('should emulate arm64 alone', () => {
  assert.deepEqual(
    ARCHITECTURES.filter((arch) => architectureFacts[arch].isForeign),
    ['arm64'],
  );
});

test('should ask for the first of each choice that the package needs', () => {
  assert.deepEqual(dependencyNames('libc6 (>= 2.28), polkitd | policykit-1, gstreamer1.0-tools\n'), [
    'libc6',
    'polkitd',
    'gstreamer1.0-tools',
  ]);
  assert.deepEqual(dependencyNames(''), []);
});

test('should know what apt would install by its versions alone, sorted', () => {
  const printed = [
    'Reading package lists...',
    'Inst libc6 (2.41-12+deb13u5 Debian:13.8/stable [arm64])',
    'Inst adduser (3.152 Debian:13.8/stable [all]) []',
    'Conf libc6 (2.41-12+deb13u5 Debian:13.8/stable [arm64])',
  ];
  const versions = ['adduser 3.152 all', 'libc6 2.41-12+deb13u5 arm64'];
  assert.deepEqual(readSimulated(printed.join('\n')), versions);
  assert.deepEqual(readSimulated(printed.join('\n').replaceAll('13.8', '13.9')), versions);
});
