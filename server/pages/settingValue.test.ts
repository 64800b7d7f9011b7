import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SettingKind } from '../config/contract.ts';
import { editableText, parseValue, type SettingEntry, valueText } from './manage/settingValue.ts';

const entry = (kind: SettingKind, value?: unknown): SettingEntry => ({
  kind,
  value,
  source: 'default',
  description: '',
});

test('should read a value as the setting has it', () => {
  assert.equal(parseValue(' 8081 ', entry('integer')), 8081);
  assert.equal(parseValue('many', entry('integer')), 'many');
  assert.equal(parseValue('off', entry('integer')), 'off');
  assert.equal(parseValue('101', entry('text')), '101');
  assert.equal(parseValue('true', entry('text')), 'true');
  assert.deepEqual(parseValue('a, b', entry('list')), ['a', 'b']);
  assert.deepEqual(parseValue('', entry('list')), []);
  assert.deepEqual(parseValue(' {"lobby":"room=1"}\n', entry('json')), { lobby: 'room=1' });
  for (const text of ['', '{"lobby":', 'room=1'])
    assert.throws(() => parseValue(text, entry('json')), SyntaxError);
});

test('should keep a secret as it is typed, unless it is JSON', () => {
  const secret = { ...entry('text'), set: false };
  assert.equal(parseValue('2580', secret), '2580');
  assert.equal(parseValue(' blank ', secret), ' blank ');
  assert.equal(parseValue('[odd password]', secret), '[odd password]');
  assert.deepEqual(parseValue('[{"host":"cam"}]', { ...secret, kind: 'json' }), [{ host: 'cam' }]);
});

test('should show a value in one line, and JSON to be edited in several', () => {
  assert.equal(valueText(undefined), '');
  assert.equal(valueText(['a', 'b']), 'a, b');
  assert.equal(valueText([{ a: 1 }]), '[{"a":1}]');
  assert.equal(editableText(entry('list', ['a', 'b'])), 'a, b');
  assert.equal(editableText(entry('json', { a: 1 })), '{\n  "a": 1\n}');
  assert.equal(editableText({ ...entry('json'), set: true }), '');
});
