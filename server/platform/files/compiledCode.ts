import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { arch } from 'node:os';
import { dirname, join } from 'node:path';
import vm from 'node:vm';
import { crc32 } from 'node:zlib';
import { writeWholeNow } from './wholeFile.ts';

/** By then all that a start runs is compiled, and the page is on the screen; in milliseconds. */
export const AFTER_START_MS = 15_000;

const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) {');
const AFTER = Buffer.from('\n})');
/** Before the compiled code in its file. */
const SUM_BYTES = 4;

interface ScriptOptions {
  /** A CommonJS file of ASCII characters. */
  readonly file: string;
  /** Of its files in the folder, which Node and other programs may use too: a word. */
  readonly name: string;
  /** Where compiled code is; undefined: nowhere. A user who may write there decides what runs. */
  readonly folder: string | undefined;
  /** What the script gets as `require`. */
  readonly require: NodeJS.Require;
}

/**
 * Runs a script with the code that V8 compiled at an earlier start, as Node does it with NODE_COMPILE_CACHE from version 22 on:
 * without it the main process compiles for a sixth of the start, while no page can load (docs/benchmarks.md). Code counts
 * only for the very same text and program, and whole; V8 itself refuses that of other versions and flags.
 * @returns what the script exports; and `keep`, which keeps the compiled code for the next start, where it has none. It does
 * nothing if it cannot, and only once
 */
export function runCompiled<Exports>({ file, name, folder, require }: ScriptOptions): {
  readonly exports: Exports;
  readonly keep: () => void;
} {
  const text = functionOf(file);
  const key = crc32(text, crc32(`${process.versions.v8} ${arch()} ${file}\n`));
  const kept = folder === undefined ? undefined : join(folder, `${name}-${text.length}-${key}.code`);
  const cachedData = kept === undefined ? undefined : wholeCode(kept);
  const script = new vm.Script(text.toString('latin1'), {
    filename: file,
    ...(cachedData && { cachedData }),
  });
  release(text);
  if (cachedData) release(cachedData);
  const module = { exports: {} };
  (script.runInThisContext() as (...args: unknown[]) => void)(
    ...[module.exports, require, module, file, dirname(file)],
  );
  let isDue = kept !== undefined && (cachedData === undefined || script.cachedDataRejected === true);
  const keep = () => {
    if (!isDue || kept === undefined) return;
    isDue = false;
    try {
      write(kept, name, script.createCachedData());
    } catch {
      // The next start compiles again.
    }
  };
  return { exports: module.exports as Exports, keep };
}

/**
 * @returns the text of a CommonJS file as the function that Node makes of it. Bytes: joining and hashing strings of megabytes
 * takes 6 ms more
 */
function functionOf(path: string): Buffer {
  // In one call: of an archive Electron copies a file that is opened.
  const body = readFileSync(path);
  const whole = Buffer.concat([BEFORE, body, AFTER]);
  release(body);
  return whole;
}

/** Frees the memory at once: ten megabytes would wait for the next collection of all memory, which comes minutes later. */
function release({ buffer }: Buffer): void {
  // Small ones have a part of Node's own pool.
  if (buffer.byteLength > Buffer.poolSize) (buffer as ArrayBuffer).transfer(0);
}

/** @returns undefined where there is none, or not all of it: V8 does not look whether it is whole */
function wholeCode(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    const code = bytes.subarray(SUM_BYTES);
    return sumOf(code).equals(bytes.subarray(0, SUM_BYTES)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Writes it whole, and removes that of other versions. @throws Error of the file system */
function write(path: string, name: string, code: Buffer): void {
  const folder = dirname(path);
  writeWholeNow(path, Buffer.concat([sumOf(code), code]));
  for (const other of readdirSync(folder))
    if (other.startsWith(`${name}-`) && other.endsWith('.code') && join(folder, other) !== path)
      rmSync(join(folder, other), { force: true });
}

/**
 * Against chance alone, as who writes to the folder could change a digest too. SHA-256 of text and code takes 6 ms more, and
 * several times that where the processor has no instructions for it.
 */
function sumOf(code: Buffer): Buffer {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32BE(crc32(code));
  return sum;
}
