import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseValue, type SettingEntry, valueText } from './settings/settingValue.ts';

const entry = (value: unknown): SettingEntry => ({
  value,
  default: value,
  source: 'default',
  description: '',
});

test('should read a value as the setting has it', () => {
  assert.equal(parseValue(' 8081 ', entry(8080)), 8081);
  assert.equal(parseValue('many', entry(8080)), 'many');
  assert.equal(parseValue('101', entry('')), '101');
  assert.equal(parseValue('true', entry('auto')), true);
  assert.equal(parseValue('9222', entry('off')), 9222);
  assert.deepEqual(parseValue('a, b', entry([])), ['a', 'b']);
  assert.deepEqual(parseValue('', entry([])), []);
  assert.deepEqual(parseValue('{"lobby":"room=1"}', entry({})), { lobby: 'room=1' });
});

test('should keep a secret as it is typed, unless it is a list', () => {
  const secret: SettingEntry = { set: false, source: 'default', description: '' };
  assert.equal(parseValue('2580', secret), '2580');
  assert.equal(parseValue(' blank ', secret), ' blank ');
  assert.deepEqual(parseValue('[{"host":"cam"}]', secret), [{ host: 'cam' }]);
  assert.equal(valueText(undefined), '');
  assert.equal(valueText(['a', 'b']), 'a, b');
  assert.equal(valueText([{ a: 1 }]), '[{"a":1}]');
});
