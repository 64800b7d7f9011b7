import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aptPins, goneVersions, packagesText, readInstalled, readPackagesText } from './packages.ts';

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
