import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PanelError, readArguments } from './arguments.ts';

test('should start a panel of amd64 where nothing is said', () => {
  assert.deepEqual(readArguments([]), {
    arch: 'amd64',
    image: undefined,
    folder: undefined,
    isHeadless: false,
    task: { kind: 'run' },
  });
});

test('should take every option', () => {
  assert.deepEqual(readArguments('--arch amd64 --image i --dir d --headless'.split(' ')), {
    arch: 'amd64',
    image: 'i',
    folder: 'd',
    isHeadless: true,
    task: { kind: 'run' },
  });
});

test('should take a panel of arm64', () => {
  assert.equal(readArguments(['--arch', 'arm64']).arch, 'arm64');
  assert.equal(readArguments(['cut', '--arch=arm64']).arch, 'arm64');
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
] as const) {
  test(`should refuse ${args} with a sentence`, () => {
    assert.throws(
      () => readArguments(args.split(' ')),
      (error) => error instanceof PanelError && sentence.test(error.message),
    );
  });
}
