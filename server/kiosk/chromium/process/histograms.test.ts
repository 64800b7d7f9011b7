import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { keepHistogramsInMemory } from './histograms.ts';

describe('the histograms of the browser', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'faceplate-histograms-'));
    for (const name of ['profile', 'memory', 'elsewhere']) mkdirSync(join(folder, name));
  });
  after(() => rmSync(folder, { recursive: true }));
  const at = (...names: string[]) => join(folder, ...names);

  test('should go into memory, and leave nothing of the run before', async () => {
    mkdirSync(at('profile/BrowserMetrics'));
    writeFileSync(at('profile/BrowserMetrics/old.pma'), 'old');
    for (const run of ['first', 'second']) {
      await keepHistogramsInMemory(at('profile'), at('memory'));
      assert.deepEqual(readdirSync(at('memory/histograms')), []);
      writeFileSync(at('profile/BrowserMetrics', `${run}.pma`), run);
      assert.deepEqual(readdirSync(at('memory/histograms')), [`${run}.pma`]);
    }
  });

  test('security: should remove a link, and not what it leads to', async () => {
    writeFileSync(at('elsewhere/kept'), 'kept');
    rmSync(at('memory/histograms'), { recursive: true, force: true });
    rmSync(at('profile/BrowserMetrics'), { recursive: true, force: true });
    await keepHistogramsInMemory(at('profile'), at('elsewhere'));
    await keepHistogramsInMemory(at('profile'), at('memory'));
    assert.equal(readlinkSync(at('profile/BrowserMetrics')), at('memory/histograms'));
    assert.ok(readdirSync(at('elsewhere')).includes('kept'));
  });
});
