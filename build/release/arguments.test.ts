import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partNames, ReleaseError, readArguments } from './arguments.ts';

test('should make every part into release/ where nothing is said', () => {
  const { version, signer, out, only } = readArguments([]);
  assert.deepEqual([version, signer, out], [undefined, undefined, 'release']);
  assert.deepEqual(only, partNames);
});

test('should take every option, and make the parts in their own order, once', () => {
  const options = readArguments(
    '--version 1.2.3-rc.1 --key k --certificate c --out o --only image,deb,deb'.split(' '),
  );
  assert.deepEqual(options, {
    version: '1.2.3-rc.1',
    signer: { key: 'k', certificate: 'c' },
    out: 'o',
    only: ['deb', 'image'],
  });
});

for (const [args, sentence] of [
  ['--version 1.2', /no version like 1\.2\.3/],
  ['--key k', /belong together/],
  ['--certificate c', /belong together/],
  ['--only debs', /no part debs: changelog, docs/],
  ['--only ,', /names no part/],
  ['amd64', /amd64/],
] as const) {
  test(`should refuse ${args} with a sentence`, () => {
    assert.throws(
      () => readArguments(args.split(' ')),
      (error) => error instanceof ReleaseError && sentence.test(error.message),
    );
  });
}
