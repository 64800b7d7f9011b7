import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mirrorsOf, sourcesList } from './aptSources.ts';

test("should take the mirrors of this machine's apt, whatever else it knows", () => {
  const targets = [
    'Other\tOther\tmain\thttp://127.0.0.1/other/',
    'Debian\tDebian-Security\tmain\thttp://127.0.0.1/security/',
    'Debian\tDebian\tcontrib\thttp://127.0.0.1/contrib/',
    'Debian\tDebian\tmain\thttp://127.0.0.1/debian/',
    '',
  ].join('\n');
  assert.deepEqual(mirrorsOf(targets), {
    archive: 'http://127.0.0.1/debian',
    security: 'http://127.0.0.1/security',
  });
});

test("should take Debian's own where this machine is no Debian", () => {
  const { archive, security } = mirrorsOf('Ubuntu\tUbuntu\tmain\thttp://127.0.0.1/ubuntu/\n');
  assert.match(archive, /debian\.org\/debian$/);
  assert.match(security, /debian\.org\/debian-security$/);
});

test('should list Debian 13 with its updates and its security updates', () => {
  assert.equal(
    sourcesList({ archive: 'http://a', security: 'http://s' }),
    `deb http://a trixie main non-free-firmware
deb http://a trixie-updates main non-free-firmware
deb http://s trixie-security main non-free-firmware
`,
  );
});
