import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settingDeclarations } from '../config/settings.ts';
import { found, settingHomes, settingPath, synonyms } from './manage/ui/finder.ts';

const pages = Object.entries(synonyms).map(([path, words]) => ({ title: path, place: '', words }));
const first = (query: string) => found(query, pages)[0]?.title;

describe('the search', () => {
  it('should find pages by what people call things, in three languages', () => {
    for (const [path, ...queries] of [
      ['screen/schedule', 'schedule', 'Zeitplan', 'horario', 'Wecker'],
      ['connections/network', 'wifi', 'WLAN', 'inalámbrica', 'ip address'],
      [
        'screen/display',
        'volume',
        'Lautstärke',
        'volumen',
        'zoom',
        'rotate',
        'drehen',
        'girar',
        'brightness',
      ],
      ['devices/intercom', 'doorbell', 'Klingel', 'timbre'],
      ['people', 'invite', 'einladen', 'invitar'],
      ['content/messages', 'message', 'Mitteilung', 'mensaje'],
      ['system', 'update', 'Neustart', 'actualizar'],
    ])
      for (const query of queries) assert.equal(first(query), path, query);
    for (const query of [
      'sleep',
      'night',
      'dark',
      'schlafen',
      'Nacht',
      'dunkel',
      'dormir',
      'noche',
      'oscuro',
    ]) {
      const paths = found(query, pages).map(({ title }) => title);
      assert.deepEqual(paths.slice(0, 2).sort(), ['screen/idle', 'screen/schedule'], query);
    }
  });

  it('should need all words, in any order, with or without accents and capitals', () => {
    assert.equal(first('lautstarke'), 'screen/display');
    assert.equal(first('zone time'), 'connections/network');
    assert.deepEqual(found('wifi doorbell', pages), []);
    assert.deepEqual(found('xyzzy', pages), []);
    assert.equal(found('  ', pages).length, pages.length);
  });

  it('should put what begins with the word before what only has it in it', () => {
    const rows = ['unlocked', 'a lock', 'lock'].map((title) => ({ title, place: '', words: '' }));
    assert.deepEqual(
      found('lock', rows).map(({ title }) => title),
      ['lock', 'a lock', 'unlocked'],
    );
  });

  it('should lead each setting to one place', () => {
    for (const key of Object.keys(settingDeclarations)) {
      const homes = Object.values(settingHomes).filter((keys) =>
        keys.some((each) => (each.endsWith('.') ? key.startsWith(each) : key === each)),
      );
      assert.ok(homes.length <= 1, key);
    }
    assert.equal(settingPath('idle.dimAfter'), 'screen/idle/idle.dimAfter');
    assert.equal(settingPath('dataDir'), 'system/settings/dataDir');
    for (const key of Object.values(settingHomes).flat())
      assert.ok(
        Object.keys(settingDeclarations).some((each) =>
          key.endsWith('.') ? each.startsWith(key) : each === key,
        ),
        `${key} is no setting.`,
      );
  });
});
