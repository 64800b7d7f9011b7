import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PanelError, readArguments } from './arguments.ts';

test('should start a panel of amd64 where nothing is said', () => {
  assert.deepEqual(readArguments([]), {
    arch: 'amd64',
    image: undefined,
    isPackage: false,
    folder: undefined,
    isHeadless: false,
    task: { kind: 'run' },
  });
});

test('should take every option', () => {
  assert.deepEqual(readArguments('--arch amd64 --image i --dir d --headless'.split(' ')), {
    arch: 'amd64',
    image: 'i',
    isPackage: false,
    folder: 'd',
    isHeadless: true,
    task: { kind: 'run' },
  });
});

test('should start a plain Debian with the package, and speak to it', () => {
  assert.equal(readArguments(['--package']).isPackage, true);
  assert.deepEqual(readArguments(['cut', '--package']), {
    arch: 'amd64',
    image: undefined,
    isPackage: true,
    folder: undefined,
    isHeadless: false,
    task: { kind: 'cut' },
  });
});

test('should take a panel of arm64', () => {
  assert.equal(readArguments(['--arch', 'arm64']).arch, 'arm64');
  assert.equal(readArguments(['cut', '--arch=arm64']).arch, 'arm64');
  assert.throws(() => readArguments(['--arch', 'arm64', '--package']), /amd64 alone/);
});

test('should speak to a panel that runs', () => {
  assert.deepEqual(readArguments(['screenshot', 'p.png', '--dir', 'd']).task, {
    kind: 'screenshot',
    file: 'p.png',
  });
  assert.deepEqual(readArguments(['cut']).task, { kind: 'cut' });
});

for (const [args, sentence] of [
  ['--arch riscv64', /no virtual panel for riscv64: amd64 or arm64/],
  ['screenshot', /none of its tasks/],
  ['screenshot a b', /none of its tasks/],
  ['cut now', /none of its tasks/],
  ['boot', /none of its tasks/],
  ['--vnc', /--vnc/],
  ['--package --image i', /two kinds of panels/],
  ['--package=x.deb', /--package/],
] as const) {
  test(`should refuse ${args} with a sentence`, () => {
    assert.throws(
      () => readArguments(args.split(' ')),
      (error) => error instanceof PanelError && sentence.test(error.message),
    );
  });
}
