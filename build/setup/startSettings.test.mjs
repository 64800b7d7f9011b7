import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { startSettings } from './startSettings.mjs';

// By its address: with its types this project checks the contract of all settings once more, for ten seconds.
const { loadSettings } = await import(new URL('../../server/config/loadSettings.ts', import.meta.url).href);

describe('the settings that npm start reads', () => {
  let state;
  let dataDir;
  before(() => {
    state = temporaryFolder('start-settings');
    dataDir = join(state, 'faceplate');
    mkdirSync(dataDir);
    const tree = { host: 'electron', kiosk: { headless: true } };
    writeFileSync(join(dataDir, 'settings.json'), JSON.stringify(tree));
  });

  it('should be those that the service reads from flags, environment and file', () => {
    const cases = [
      { args: [], env: {} },
      { args: ['--host', 'chromium'], env: {} },
      { args: ['--host=none', '--host', 'chromium'], env: { FACEPLATE_HOST: 'electron' } },
      { args: [], env: { FACEPLATE_HOST: 'none', FACEPLATE_KIOSK_HEADLESS: 'false' } },
      { args: [], env: { FACEPLATE_HOST: '', FACEPLATE_KIOSK_HEADLESS: '' } },
      { args: ['--kiosk.headless'], env: { FACEPLATE_KIOSK_HEADLESS: 'false' } },
      { args: ['--kiosk.headless', '--host', 'auto'], env: {} },
      { args: ['--kiosk.headless', 'false'], env: {} },
      { args: ['--kiosk.headless=auto'], env: {} },
      { args: ['--http.port', '0'], env: {} },
    ];
    for (const { args, env } of cases)
      for (const given of [
        { args: [...args, '--dataDir', dataDir], env },
        { args, env: { ...env, FACEPLATE_DATA_DIR: dataDir } },
        { args, env: { ...env, FACEPLATE_DATA_DIR: join(state, 'nowhere') } },
      ]) {
        const { settings } = loadSettings(given.args, given.env, '1.0.0');
        assert.deepEqual(
          startSettings(given.args, given.env),
          { host: settings.host, headless: String(settings['kiosk.headless']) },
          JSON.stringify(given),
        );
      }
    assert.equal(startSettings([], { FACEPLATE_DATA_DIR: dataDir }).host, 'electron');
  });

  it('should come from the folder of the user where none is named', () => {
    assert.equal(startSettings([], { XDG_STATE_HOME: state }).host, 'electron');
  });

  it('should leave mistakes to the service', () => {
    const broken = join(state, 'broken');
    mkdirSync(broken);
    for (const text of ['{', 'null', '7', '{"kiosk":3}']) {
      writeFileSync(join(broken, 'settings.json'), text);
      assert.deepEqual(startSettings([], { FACEPLATE_DATA_DIR: broken }), { host: 'auto', headless: 'auto' });
    }
    assert.equal(startSettings(['--host'], {}).host, 'true');
  });
});
