import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manySettingsMistake } from './changeRules.ts';
import { maskedRollout, maskedSettings } from './hiddenValues.ts';
import { settingDeclarations } from './settings.ts';

test('should allow settings that panels can share, in both forms', () => {
  for (const tree of [
    { 'idle.saverAfter': 60 },
    { idle: { saverAfter: 60 }, device: { language: 'de' } },
    { 'idle.saverAfter': null },
    { mqtt: { groups: ['hall'] } },
  ])
    assert.equal(manySettingsMistake(tree), undefined);
});

test('should name what is no setting, and values that do not fit', () => {
  assert.match(manySettingsMistake({ 'idle.saverAfter': 'soon' }) ?? '', /idle\.saverAfter/);
  assert.match(manySettingsMistake({ idle: { nothing: 1 } }) ?? '', /idle\.nothing: no such setting/);
  assert.match(manySettingsMistake({}) ?? '', /no setting/);
});

test("security: secrets, what is the owner's alone and identity should be refused, without their value", () => {
  const refused = (key: string, value: unknown) => {
    const words = manySettingsMistake({ [key]: value }) ?? '';
    assert.ok(words.includes(`${key}: cannot be rolled out`), key);
    assert.doesNotMatch(words, /s3cret/);
  };
  const forbidden = Object.entries(settingDeclarations).filter(
    ([key, declaration]) =>
      'secret' in declaration || 'owner' in declaration || 'opens' in declaration || key.startsWith('http.'),
  );
  assert.ok(forbidden.length > 30);
  for (const [key] of forbidden) {
    refused(key, 's3cret');
    refused(key, null);
  }
  refused('device.name', 'Hall');
  refused('mqtt.id', 'hall');
  assert.match(manySettingsMistake({ sip: { password: 's3cret' } }) ?? '', /sip\.password: cannot/);
  assert.match(manySettingsMistake({ mqtt: { password: null } }) ?? '', /mqtt\.password: cannot/);
});

test('security: secrets of a roll-out that is refused should not stand in the journal', () => {
  const params = { mqtt: { password: 's3cret' }, 'idle.saverAfter': 60 };
  const masked = maskedRollout({ ids: ['a'], command: 'settings.change', params });
  assert.deepEqual(masked, {
    ids: ['a'],
    command: 'settings.change',
    params: { 'mqtt.password': '…', 'idle.saverAfter': 60 },
  });
  const fetch = { ids: ['a'], command: 'projects.fetch', params: { url: 'http://x/' } };
  assert.deepEqual(maskedRollout(fetch), fetch);
  for (const odd of [null, 1, 'x', undefined]) assert.equal(maskedRollout(odd), odd);
});

test('security: should show of changed settings no secret, and nothing that is no setting', () => {
  const tree = {
    kiosk: { pin: '4711', url: 'http://c/' },
    sip: { password: 'x', doors: [{ name: 'y' }], enabled: true },
    token: 'x',
    log: { level: null },
    kiok: { pin: '4711' },
    terminal: 'hunter2',
  };
  assert.deepEqual(maskedSettings(tree), {
    'kiosk.pin': '…',
    'kiosk.url': 'http://c/',
    'sip.password': '…',
    'sip.doors': '…',
    'sip.enabled': true,
    token: '…',
    'log.level': null,
    kiok: '…',
    terminal: '…',
  });
  assert.deepEqual(maskedSettings('hunter2'), { '': '…' });
});
