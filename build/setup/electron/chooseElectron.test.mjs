import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, it } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { chooseElectron } from './chooseElectron.mjs';

describe('who shows the page', () => {
  let folder;
  let electron;
  let said;
  before(() => {
    folder = temporaryFolder('choose');
    electron = join(folder, 'given');
    for (const name of ['given', 'allowed', 'forbidden', 'nothing']) mkdirSync(join(folder, name));
    writeFileSync(join(electron, 'electron'), '');
    // Stands for the program that makes a user namespace, or is forbidden to.
    writeFileSync(join(folder, 'allowed/unshare'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    writeFileSync(join(folder, 'forbidden/unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  });
  beforeEach(() => {
    said = [];
    writeFileSync(join(electron, 'version'), 'v33.2.1');
    rmSync(join(electron, 'chrome-sandbox'), { force: true });
  });

  /** As a plain user with a display, a binary and user namespaces, but for what is given. */
  const choose = ({ host = 'auto', headless = 'auto', uid = 1_000, env = {}, root = folder } = {}) =>
    chooseElectron({
      host,
      headless,
      root,
      node: process.execPath,
      say: (line) => said.push(line),
      env: { PATH: join(folder, 'allowed'), DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: electron, ...env },
      uid,
    });
  const program = () => join(electron, 'electron');
  /** @param why the clause of the one line */
  const assertChromium = async (given, why) => {
    assert.equal(await choose(given), undefined);
    assert.equal(said.length, 1, said.join('\n'));
    assert.match(said[0], /^host=auto: the system's Chromium shows the page, not Electron: /);
    assert.match(said[0], why);
  };

  it('should be Electron for auto where it is there and may run, which is said in one line', async () => {
    for (const version of ['v33.2.1', '45.0.0\n', 'v100.0.0-beta.1']) {
      said = [];
      writeFileSync(join(electron, 'version'), version);
      assert.equal(await choose(), program());
      const words = `host=auto: Electron ${version.trim().replace('v', '')} shows the page`;
      assert.deepEqual([said.length, said[0].slice(0, words.length)], [1, words]);
    }
    assert.equal(await choose({ env: { DISPLAY: '', WAYLAND_DISPLAY: 'wayland-0' } }), program());
    assert.equal(await choose({ headless: 'false' }), program());
  });

  it('should be the binary that the npm package has fetched, where no folder is named', async () => {
    const root = join(folder, 'project');
    const own = join(root, 'node_modules/electron');
    mkdirSync(join(own, 'dist'), { recursive: true });
    writeFileSync(join(own, 'package.json'), '{"version":"45.1.0"}');
    writeFileSync(join(own, 'dist/electron'), '');
    writeFileSync(join(own, 'dist/version'), 'v45.1.0');
    const given = { root, env: { ELECTRON_OVERRIDE_DIST_PATH: undefined } };
    assert.equal(await choose(given), join(own, 'dist/electron'));
    // Another version than that of the package was left by an update.
    writeFileSync(join(own, 'dist/version'), 'v44.0.0');
    said = [];
    await assertChromium(given, /no binary of it here \(--host electron fetches one\)/);
  });

  it('should be Chromium for auto without a binary, with nothing fetched, also where the tests have one', async () => {
    const home = join(folder, 'home');
    const cached = join(home, '.cache/faceplate/electron-33.2.1/plain');
    mkdirSync(cached, { recursive: true });
    writeFileSync(join(cached, 'electron'), '');
    writeFileSync(join(cached, 'version'), 'v33.2.1');
    const env = { ELECTRON_OVERRIDE_DIST_PATH: undefined, HOME: home };
    await assertChromium({ env }, /no binary of it here/);
    said = [];
    const empty = { ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'nothing') };
    await assertChromium({ env: empty }, /no program "electron" in .*nothing\.$/);
  });

  it('should be Chromium for auto where the binary is too old, or does not tell its version', async () => {
    writeFileSync(join(electron, 'version'), 'v32.9.0');
    await assertChromium({}, /version 32\.9\.0 is too old, 33 is the oldest/);
    for (const text of ['', 'stand-in']) {
      said = [];
      writeFileSync(join(electron, 'version'), text);
      await assertChromium({}, /no file tells the version of .*given\/electron\.$/);
    }
  });

  it('should be Chromium for auto as root', () => assertChromium({ uid: 0 }, /does not run as root\.$/));

  it('should be Chromium for auto without a display', async () => {
    await assertChromium({ env: { DISPLAY: '' } }, /there is no display\.$/);
    said = [];
    await assertChromium({ env: { DISPLAY: undefined }, headless: 'false' }, /there is no display\.$/);
  });

  it('should be Chromium for auto where no screen is wanted', () =>
    assertChromium({ headless: 'true' }, /kiosk\.headless is on\.$/));

  it('should be Chromium for auto where user namespaces are forbidden, or cannot be tried', async () => {
    for (const name of ['forbidden', 'nothing']) {
      said = [];
      await assertChromium({ env: { PATH: join(folder, name) } }, /forbids user namespaces/);
    }
  });

  it('should be Electron without user namespaces only with the helper of root', async () => {
    const helper = join(electron, 'chrome-sandbox');
    const env = { PATH: join(folder, 'forbidden') };
    writeFileSync(helper, '');
    chmodSync(helper, 0o755);
    await assertChromium({ env }, /forbids user namespaces/);
    if (process.getuid?.() === 0) {
      chmodSync(helper, 0o4755);
      assert.equal(await choose({ env }), program());
      // Below systemd the bit has no effect.
      said = [];
      await assertChromium({ env: { ...env, INVOCATION_ID: 'x' } }, /forbids user namespaces/);
      chownSync(helper, 1_000, 1_000);
    }
    // Of a plain user the bit means nothing.
    chmodSync(helper, 0o4755);
    said = [];
    await assertChromium({ env }, /forbids user namespaces/);
  });

  it('should be who is named, without a word', async () => {
    assert.equal(await choose({ host: 'chromium' }), undefined);
    assert.equal(await choose({ host: 'none' }), undefined);
    assert.equal(await choose({ host: 'electron' }), program());
    assert.equal(await choose({ host: 'electron', env: { DISPLAY: '' }, headless: 'true' }), program());
    rmSync(join(electron, 'version'));
    assert.equal(await choose({ host: 'electron' }), program());
    assert.deepEqual(said, []);
  });

  it('should be refused in one sentence where the named Electron cannot run, and not be fetched', async () => {
    const refused = async (given, why) => {
      const { message } = await choose({ host: 'electron', ...given }).then(assert.fail, (error) => error);
      assert.match(message, /^Electron cannot show the page: .*Use --host chromium/);
      assert.match(message, why);
    };
    const missing = { ELECTRON_OVERRIDE_DIST_PATH: undefined };
    await refused({ uid: 0, env: missing }, /as root/);
    await refused({ env: { ...missing, PATH: join(folder, 'forbidden') } }, /user namespaces/);
    writeFileSync(join(electron, 'version'), 'v30.0.0');
    await refused({}, /version 30\.0\.0 is too old/);
    assert.deepEqual(said, []);
  });
});
