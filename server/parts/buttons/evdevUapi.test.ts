import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import * as uapi from './evdev.ts';
import { ENDS, SHIFTS, textOf } from './evdevReader.ts';

/** Each of our values with the C expression that yields it from the kernel's header. */
const EXPRESSIONS: readonly (readonly [number, string])[] = [
  [uapi.EVIOCGRAB, 'EVIOCGRAB'],
  [uapi.EVIOCGKEY, `EVIOCGKEY(${uapi.KEY_BYTES})`],
  [uapi.KEY_BYTES, '(KEY_MAX + 8) / 8'],
  [uapi.EVENT_SIZE, 'sizeof(struct input_event)'],
  [uapi.OFFSET.type, 'offsetof(struct input_event, type)'],
  [uapi.OFFSET.code, 'offsetof(struct input_event, code)'],
  [uapi.OFFSET.value, 'offsetof(struct input_event, value)'],
  [uapi.EV_SYN, 'EV_SYN'],
  [uapi.EV_KEY, 'EV_KEY'],
  [uapi.SYN_REPORT, 'SYN_REPORT'],
  [uapi.SYN_DROPPED, 'SYN_DROPPED'],
];

/** Keys by the name of the header, each with what it types alone and with Shift. */
const TYPED: readonly (readonly [name: string, plain: string, shifted: string])[] = [
  ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => [letter, letter.toLowerCase(), letter] as const),
  ...[...'1234567890'].map((digit, index) => [digit, digit, '!@#$%^&*()'[index]!] as const),
  ['MINUS', '-', '_'],
  ['EQUAL', '=', '+'],
  ['LEFTBRACE', '[', '{'],
  ['RIGHTBRACE', ']', '}'],
  ['SEMICOLON', ';', ':'],
  ['APOSTROPHE', "'", '"'],
  ['GRAVE', '`', '~'],
  ['BACKSLASH', '\\', '|'],
  ['COMMA', ',', '<'],
  ['DOT', '.', '>'],
  ['SLASH', '/', '?'],
  ['SPACE', ' ', ' '],
  ...[...'0123456789'].map((digit) => [`KP${digit}`, digit, digit] as const),
  ['KPASTERISK', '*', '*'],
  ['KPMINUS', '-', '-'],
  ['KPPLUS', '+', '+'],
  ['KPDOT', '.', '.'],
  ['KPSLASH', '/', '/'],
];

const hasHeader = existsSync('/usr/include/linux/input.h') && spawnSync('cc', ['--version']).status === 0;
const skip =
  hasHeader && ['x64', 'arm64'].includes(process.arch) ? false : 'needs cc and the header of the kernel';

/** What the compiler makes of the expressions. */
function compiled(expressions: readonly string[]): number[] {
  const folder = temporaryFolder('evdev');
  const lines = expressions.map((expression) => `printf("%lld\\n", (long long)(${expression}));`);
  const source = `#include <stddef.h>\n#include <stdio.h>\n#include <linux/input.h>\nint main(void) {\n${lines.join('\n')}\n}\n`;
  writeFileSync(join(folder, 'a.c'), source);
  execFileSync('cc', ['-o', join(folder, 'a'), join(folder, 'a.c')]);
  return execFileSync(join(folder, 'a'), { encoding: 'utf8' }).trim().split('\n').map(Number);
}

test('should have the numbers and structures of the kernel', { skip }, () => {
  const expected = compiled(EXPRESSIONS.map(([, expression]) => expression));
  assert.deepEqual(
    EXPRESSIONS.map(([value, expression]) => [expression, value >>> 0]),
    EXPRESSIONS.map(([, expression], index) => [expression, expected[index]! >>> 0]),
  );
});

test('should type what a US keyboard types, key by key, and nothing else', { skip }, () => {
  const codes = compiled(TYPED.map(([name]) => `KEY_${name}`));
  assert.deepEqual(
    TYPED.map(([name], index) => [name, textOf(codes[index]!, false), textOf(codes[index]!, true)]),
    TYPED,
  );
  const typing = Array.from({ length: 768 }, (_, code) => code).filter(
    (code) => textOf(code, false) !== undefined,
  );
  assert.deepEqual(
    typing,
    codes.toSorted((one, other) => one - other),
  );
  const [left, right, ...ends] = compiled([
    'KEY_LEFTSHIFT',
    'KEY_RIGHTSHIFT',
    'KEY_ENTER',
    'KEY_KPENTER',
    'KEY_TAB',
  ]);
  assert.deepEqual([...SHIFTS], [left, right]);
  assert.deepEqual([...ENDS], ends);
});
