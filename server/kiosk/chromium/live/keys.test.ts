import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyPress } from './typing.ts';

test('should press the key of a DOM key value, and none for what no key has', () => {
  assert.deepEqual(keyPress('Enter'), { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' });
  assert.deepEqual(keyPress('ArrowLeft'), { key: 'ArrowLeft', code: 'ArrowLeft', windowsVirtualKeyCode: 37 });
  assert.deepEqual(keyPress('F12'), { key: 'F12', code: 'F12', windowsVirtualKeyCode: 123 });
  assert.deepEqual(keyPress('a'), { key: 'a', code: 'KeyA', windowsVirtualKeyCode: 65, text: 'a' });
  assert.deepEqual(keyPress('7'), { key: '7', code: 'Digit7', windowsVirtualKeyCode: 55, text: '7' });
  assert.deepEqual(keyPress('ß'), { key: 'ß', code: '', windowsVirtualKeyCode: 0, text: 'ß' });
  assert.deepEqual(keyPress('A'), {
    key: 'A',
    code: 'KeyA',
    windowsVirtualKeyCode: 65,
    text: 'A',
    modifiers: 8,
  });
  assert.deepEqual(keyPress('.'), { key: '.', code: 'Period', windowsVirtualKeyCode: 190, text: '.' });
  // Its own number would be that of an arrow.
  assert.deepEqual(keyPress('%'), {
    key: '%',
    code: 'Digit5',
    windowsVirtualKeyCode: 53,
    text: '%',
    modifiers: 8,
  });
  assert.deepEqual(keyPress('😀')?.text, '😀');
  for (const none of ['', 'ab', 'enter', 'Unidentified', 'constructor', '__proto__', '\n', '\u0000'])
    assert.equal(keyPress(none), undefined, none);
});
