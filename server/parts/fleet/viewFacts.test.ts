import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manySettingsMistake } from '../../config/changeRules.ts';
import { settingDeclarations } from '../../config/settings.ts';
import type { FleetPanel } from './contract.ts';
import { differencesOf, groupsOf, leftOf, manageAddress, mayShare } from './viewFacts.ts';

const panelOf = (id: string, facts: Partial<FleetPanel> = {}): FleetPanel => ({
  id,
  name: id,
  version: '1.0.0',
  board: 'simulated',
  address: null,
  https: null,
  groups: ['hall'],
  online: true,
  since: '2026-11-22T08:00:00.000Z',
  page: null,
  project: { id: 'lobby', name: 'Lobby', version: '0123456789ab' },
  update: null,
  ...facts,
});

test('should tell in what a panel differs from most of its group', () => {
  const panels = [
    panelOf('a'),
    panelOf('b'),
    panelOf('c', { version: '0.9.0' }),
    panelOf('d', { project: null, version: null }),
    panelOf('e', { groups: ['other'], version: '0.8.0' }),
    panelOf('f', { groups: null, version: '0.7.0' }),
  ];
  assert.deepEqual(
    [...differencesOf(panels)],
    [['c', [{ group: 'hall', what: 'version', own: '0.9.0', most: '1.0.0' }]]],
  );
  assert.deepEqual(groupsOf(panels), ['hall', 'other']);
});

test('should take half of a group for no majority', () => {
  assert.equal(differencesOf([panelOf('a'), panelOf('b', { version: '2.0.0' })]).size, 0);
});

test('should leave over who is not healthy', () => {
  const panels = (['healthy', 'failed', 'offline', 'waiting'] as const).map((state) => ({
    id: state,
    state,
    reason: null,
  }));
  assert.deepEqual(leftOf({ panels }), ['failed', 'offline', 'waiting']);
});

test('security: should share what a roll-out takes and nothing else', () => {
  for (const [key, declaration] of Object.entries(settingDeclarations)) {
    const takes = manySettingsMistake({ [key]: null }) === undefined;
    assert.equal(mayShare(key, 'secret' in declaration ? { set: true } : {}), takes, key);
  }
});

test('security: a panel should not lead a person anywhere but to an address of a machine', () => {
  assert.equal(manageAddress('192.168.1.5:8080', 8443), 'https://192.168.1.5:8443/manage/');
  assert.equal(manageAddress('[fd00::5]:8080', 443), 'https://[fd00::5]:443/manage/');
  assert.equal(manageAddress('192.168.1.5:8080', null), 'http://192.168.1.5:8080/manage/');
  assert.equal(manageAddress('[fd00::5]:8080', null), 'http://[fd00::5]:8080/manage/');
  for (const odd of [
    null,
    '',
    'evil.example:80',
    'x@1.2.3.4:80',
    '1.2.3.4:80/x',
    'javascript:alert(1)',
    '1.2.3.4',
  ])
    assert.equal(manageAddress(odd, null), undefined, String(odd));
});
