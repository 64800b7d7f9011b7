// What the launcher does where no real Electron can show it: build/packages/packedElectron.electron.ts starts it with one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';

/** What an AppImage's program sees. */
const IN_IMAGE = { APPIMAGE: '/tmp/a.AppImage' };

describe("the launcher of Electron's program", () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('launcher');
    copyFileSync(join(import.meta.dirname, 'launcher'), join(folder, 'faceplate-electron'));
    const program = '#!/bin/sh\necho started "$@"\n';
    writeFileSync(join(folder, 'faceplate-electron-program'), program, { mode: 0o755 });
    writeFileSync(join(folder, 'chrome-sandbox'), '', { mode: 0o755 });
  });

  /** Starts it as a user other than root, where user namespaces can be made or not. */
  function launch(mayMake: boolean, args: string[], env: Record<string, string> = {}, file?: string) {
    const programs = join(folder, 'bin');
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, 'id'), '#!/bin/sh\necho 1000\n', { mode: 0o755 });
    writeFileSync(join(programs, 'unshare'), `#!/bin/sh\nexit ${mayMake ? 0 : 1}\n`, { mode: 0o755 });
    return spawnSync(join(folder, file ?? 'faceplate-electron'), args, {
      encoding: 'utf8',
      env: { PATH: `${programs}:${process.env.PATH}`, HOME: folder, ...env },
    });
  }

  test('security: should say in one sentence that user namespaces are forbidden, and start nothing', () => {
    for (const args of [[], ['--no-sandbox']]) {
      const { stdout, stderr, status } = launch(false, args);
      assert.deepEqual([stdout, status], ['', 1]);
      assert.match(stderr, /^faceplate: this machine forbids user namespaces .*\n$/);
    }
  });

  test('should do without user namespaces by the helper with the set-user-id bit, where that has an effect', () => {
    const helper = join(folder, 'chrome-sandbox');
    chmodSync(helper, 0o4755);
    try {
      assert.equal(launch(false, ['--a']).stdout, 'started --a\n');
      for (const env of [IN_IMAGE, { INVOCATION_ID: 'of systemd' }])
        assert.match(launch(false, [], env).stderr, /forbids user namespaces/);
    } finally {
      chmodSync(helper, 0o755);
    }
  });

  test("security: should end what an AppImage's start script begins without the sandbox", () => {
    const config = { DesktopFileName: 'a.desktop', ExecutableName: 'faceplate-electron', ProductName: 'F' };
    // Else its reader of configurations makes a folder for compiled ones in the temporary folder.
    process.env.JITI_FS_CACHE = 'false';
    const { generateAppRunScript } = createRequire(import.meta.url)(
      'app-builder-lib/out/targets/appimage/appImageUtil.js',
    ) as { generateAppRunScript: (config: object) => string };
    writeFileSync(join(folder, 'AppRun'), generateAppRunScript(config), { mode: 0o755 });
    const forbidden = launch(false, ['--host', 'electron'], IN_IMAGE, 'AppRun');
    assert.match(forbidden.stderr, /forbids user namespaces/);
    assert.equal(forbidden.stdout, '');
    assert.equal(launch(true, ['--a'], IN_IMAGE, 'AppRun').stdout, 'started --a\n');
  });
});
