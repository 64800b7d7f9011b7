import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tokensCommands } from './contract.ts';

const create = (name: string) => tokensCommands['token.create'].params.safeParse({ name, scopes: ['view'] });
const pair = (name: string) => tokensCommands['pairing.finish'].params.safeParse({ code: '01234567', name });

describe('names of tokens', () => {
  const refused = [
    ...['owner', 'panel', 'page', 'mqtt', 'Owner', 'PANEL', ' page ', 'mQtT', 'loopback', 'nobody', 'replay'],
    // Full width, ligature-like and styled forms; marks; blanks; what nobody sees; signs around it.
    ...[
      'ｏｗｎｅｒ',
      '𝐨𝐰𝐧𝐞𝐫',
      'ⓟⓐⓝⓔⓛ',
      'ówner',
      'o\u0332wner',
      'o w n e r',
      'ow\u200bner',
      '\u3164owner',
      'ow\u00adner',
    ],
    ...['owner.', '«panel»', '\u202eowner\u202c', '(mqtt)', '\u2800page'],
    // Letters of other scripts, and of ours.
    ...['оwner', 'οwner', 'OWNΕR', 'рanel', 'PΑNEL', 'pаge', 'мqтт', '0wner', 'paneI', 'pane1', 'ΜQΤΤ'],
  ];
  for (const name of refused)
    test(`security: should not be ${JSON.stringify(name)}, made or paired`, () => {
      for (const { error } of [create(name), pair(name)]) assert.deepEqual(error?.issues[0]?.path, ['name']);
    });

  test('should be any other', () => {
    for (const name of [
      'phone',
      'owner of the house',
      'panel 2',
      'Homepage',
      'mqtt bridge',
      'Öwe',
      '面板',
      '🚪',
      '-',
    ])
      assert.ok(create(name).success && pair(name).success, name);
  });
});
