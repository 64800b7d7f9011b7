import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enterOf, keysHeight, modeOf } from './fieldModes.ts';

const field = (type: string, inputMode = '', enterKeyHint = '') => ({ type, inputMode, enterKeyHint });

test('should take the keys of inputmode, else those of the type', () => {
  for (const [type, inputMode, mode] of [
    ['text', '', 'text'],
    ['textarea', '', 'text'],
    ['editable', '', 'text'],
    ['number', '', 'decimal'],
    ['number', 'numeric', 'numeric'],
    ['tel', '', 'tel'],
    ['email', '', 'email'],
    ['url', '', 'url'],
    ['search', '', 'search'],
    ['password', '', 'password'],
    ['password', 'text', 'password'],
    ['password', 'numeric', 'numeric'],
    ['text', 'DECIMAL', 'decimal'],
    ['text', 'nonsense', 'text'],
    ['text', 'constructor', 'text'],
    ['text', 'none', undefined],
  ] as const)
    assert.equal(modeOf(field(type, inputMode)), mode, `${type} ${inputMode}`);
});

test('should name what Enter does', () => {
  assert.equal(enterOf(field('text', '', 'Send')), 'send');
  assert.equal(enterOf(field('search')), 'search');
  assert.equal(enterOf(field('text', '', '<b>')), 'enter');
});

test('should be large enough for a finger, and leave the page its room', () => {
  for (const [width, height] of [
    [1280, 800],
    [800, 1280],
    [1920, 1080],
    [480, 480],
  ] as const) {
    const keys = keysHeight({ width, height });
    assert.ok(keys >= 5 * 48, `${height}: ${keys}`);
    assert.ok(keys <= height * 0.55, `${height}: ${keys}`);
  }
  assert.ok(keysHeight({ width: 320, height: 240 }) <= 144);
});
