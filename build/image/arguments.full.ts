import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImageError, readArguments } from './arguments.ts';

test('should make an image for amd64 where nothing is said', () => {
  const { architectures, version, signer, packages, out } = readArguments([]);
  assert.deepEqual(architectures, ['amd64']);
  assert.deepEqual([version, signer, packages, out], [undefined, undefined, undefined, undefined]);
});

test('should make each image once, in the order of the words', () => {
  assert.deepEqual(readArguments(['arm64', 'amd64', 'arm64']).architectures, ['arm64', 'amd64']);
});

test('should take every option', () => {
  const options = readArguments(
    'amd64 --version 1.2.3-rc.1 --key k --certificate c --packages p --out o'.split(' '),
  );
  assert.deepEqual(options, {
    architectures: ['amd64'],
    version: '1.2.3-rc.1',
    signer: { key: 'k', certificate: 'c' },
    packages: 'p',
    out: 'o',
  });
});

for (const [args, sentence] of [
  ['riscv64', /no image for riscv64: amd64 or arm64/],
  ['arm64 riscv64', /no image for riscv64/],
  ['amd64 arm64 --packages p', /name that one/],
  ['--version 1.2', /no version like 1\.2\.3/],
  ['--version 01.2.3', /no version like/],
  ['--version 1.2.3+4', /no version like/],
  ['--key k', /belong together/],
  ['--certificate c', /belong together/],
  ['--fast', /--fast/],
] as const) {
  test(`should refuse ${args} with a sentence`, () => {
    assert.throws(
      () => readArguments(args.split(' ')),
      (error) => error instanceof ImageError && sentence.test(error.message),
    );
  });
}
