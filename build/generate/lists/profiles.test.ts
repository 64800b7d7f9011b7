import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { profileList } from './profiles.ts';

describe('the list of the parts that a board profile can name', () => {
  let root: string;
  beforeEach(() => {
    root = temporaryFolder('list');
    write('boards/simulated.json', JSON.stringify({ name: 'simulated', rtc: {}, led: {} }));
  });

  function write(file: string, text: string): void {
    const path = join(root, 'server/parts', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  test('should have each part with a profile.ts, in the order of the simulated board, new ones last', () => {
    write('buzzer/profile.ts', 'export const buzzerProfile = defineProfile({});\n');
    write('led/profile.ts', 'export const ledProfile = defineProfile({});\n');
    write('sleep/profile.ts', 'export const rtcProfile = defineProfile({});\n');
    write('http/service.ts', 'export const httpProfile = defineProfile({});\n');
    const text = profileList(root);
    assert.match(text, /\{\n {2}rtc: rtcProfile,\n {2}led: ledProfile,\n {2}buzzer: buzzerProfile,\n\}/);
    assert.match(text, /\nimport \{ rtcProfile \} from '\.\.\/sleep\/profile\.ts';\n/);
  });

  test('should say which profile.ts lacks its constant', () => {
    write('led/profile.ts', 'const ledProfile = defineProfile({});\n');
    assert.throws(() => profileList(root), /led\/profile\.ts lacks its constant/);
  });
});
