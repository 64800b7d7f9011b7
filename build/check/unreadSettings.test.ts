import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readTree } from './tree.ts';
import { findUnreadSettings } from './unreadSettings.ts';

describe('settings that nothing reads', () => {
  it('should be none in this project', async () => {
    assert.deepEqual(findUnreadSettings(await readTree(join(import.meta.dirname, '../..'))), []);
  });

  it('should be named, wherever else their name appears', () => {
    const tree = new Map([
      ['server/config/settings.ts', "'a.used': setting(), 'a.unused': setting()"],
      ['server/parts/start.ts', "store.now()['a.used']"],
      ['server/parts.test.ts', "store.now()['a.unused']"],
      ['server/config/settingWords.ts', "'a.unused': 'Text.'"],
    ]);
    assert.deepEqual(findUnreadSettings(tree, ['a.used', 'a.unused']), [
      'The setting a.unused is declared, but nothing reads it. Pass it to a service, or remove it.',
    ]);
  });
});
