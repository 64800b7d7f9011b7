import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { runCompiled } from './compiledCode.ts';

const heard: unknown[] = [];
Object.assign(globalThis, { hear: (...values: unknown[]) => heard.push(...values) });

describe('a script that runs with compiled code', () => {
  let folder: string;
  let file: string;
  let compiled: string;

  beforeEach(() => {
    folder = temporaryFolder('compiled');
    file = join(folder, 'program.cjs');
    compiled = join(folder, 'a/compiled');
    heard.length = 0;
    write('one');
  });

  const write = (word: string) =>
    writeFileSync(
      file,
      `const { sep } = require('node:path'); exports.word = '${word}'; hear(module.exports.word, sep, __filename, __dirname);`,
    );
  const run = (where = { folder: compiled as string | undefined }) =>
    runCompiled<{ word: string }>({ file, name: 'program', ...where, require: createRequire(file) });
  const files = () => readdirSync(compiled);
  const only = () => join(compiled, files()[0]!);

  test('should get what a CommonJS module gets, and keep nothing without a folder', () => {
    run({ folder: undefined }).keep();
    assert.deepEqual(heard, ['one', '/', file, folder]);
    assert.deepEqual(readdirSync(folder), ['program.cjs']);
  });

  test('should keep its code once, whole and for its user alone, and run with it', () => {
    const { exports, keep } = run();
    assert.equal(exports.word, 'one');
    assert.ok(!readdirSync(folder).includes('a'));
    keep();
    keep();
    assert.equal(files().length, 1);
    assert.equal(statSync(only()).mode & 0o777, 0o600);
    assert.equal(statSync(compiled).mode & 0o777, 0o700);
    const { ino } = statSync(only());
    run().keep();
    assert.deepEqual(heard, ['one', '/', file, folder, 'one', '/', file, folder]);
    // Accepted code is not written again.
    assert.equal(statSync(only()).ino, ino);
  });

  test('should run the new text after a change, also one of the same length, and forget the old code', () => {
    run().keep();
    const [old] = files();
    write('two');
    run().keep();
    assert.equal(heard[4], 'two');
    assert.equal(files().length, 1);
    assert.notEqual(files()[0], old);
  });

  test('should leave the files of others in the folder', () => {
    run().keep();
    writeFileSync(join(compiled, 'v24-of-node'), '');
    write('two');
    run().keep();
    assert.equal(files().length, 2);
  });

  for (const [what, damage] of [
    ['cut off', (code: Buffer) => code.subarray(0, code.length - 1)],
    ['empty', () => Buffer.alloc(0)],
    [
      'changed in one bit',
      (code: Buffer) => Buffer.from(code.map((byte, at) => (at === 99 ? byte ^ 1 : byte))),
    ],
  ] as const)
    test(`should compile anew where the code is ${what}, and keep that`, () => {
      run().keep();
      const code = readFileSync(only());
      writeFileSync(only(), damage(code));
      run().keep();
      assert.deepEqual(heard.slice(4), ['one', '/', file, folder]);
      assert.deepEqual(readFileSync(only()).length, code.length);
    });

  test('should run where the code can be neither read nor written', () => {
    writeFileSync(join(folder, 'a'), '');
    run().keep();
    assert.equal(heard[0], 'one');
  });
});
