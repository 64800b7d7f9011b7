import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { electronBuilderConfiguration } from './electronBuilder.ts';
import { electronStandIn, SENTINEL, SHIPPED } from './testing/electronStandIn.ts';

const root = join(import.meta.dirname, '..');

describe('the Electron package', () => {
  let work: string;
  let unpacked: string;

  before(async () => {
    work = mkdtempSync(join(tmpdir(), 'faceplate-electron-package-'));
    const standIn = electronStandIn(work);
    const script = join(root, 'build/distElectron.ts');
    const args = [
      '--disable-warning=ExperimentalWarning',
      script,
      '--deb',
      '--fast',
      '--out',
      join(work, 'out'),
    ];
    await promisify(execFile)(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: standIn, TMPDIR: work },
    });
    const folder = readdirSync(join(work, 'out')).find((name) => name.endsWith('unpacked'));
    unpacked = join(work, 'out', folder!);
  });
  after(() => rmSync(work, { recursive: true, force: true }));

  /** Paths in the archive (an asar file begins with two pickles: sizes, then the header as JSON). */
  function archived(): Map<string, { unpacked?: boolean }> {
    const asar = readFileSync(join(unpacked, 'resources/app.asar'));
    const header = JSON.parse(asar.toString('utf8', 16, 16 + asar.readUInt32LE(12))) as Entry;
    const found = new Map<string, { unpacked?: boolean }>();
    const walk = (entry: Entry, path: string): void => {
      if (entry.files === undefined) found.set(path, entry);
      for (const [name, child] of Object.entries(entry.files ?? {}))
        walk(child, path === '' ? name : `${path}/${name}`);
    };
    walk(header, '');
    return found;
  }
  interface Entry {
    readonly files?: Readonly<Record<string, Entry>>;
    readonly unpacked?: boolean;
  }

  test('should hold main process, preload and pages in one archive, and no tests', () => {
    const files = [...archived().keys()];
    for (const file of [
      'package.json',
      'electron/main.js',
      'preload/electronPreload.cjs',
      'renderer-demo/index.html',
      'server/drivers/boards/rk3576-panel.json',
      'node_modules/serialport/package.json',
    ]) {
      assert.ok(files.includes(file), file);
    }
    const own = files.filter((file) => !file.startsWith('node_modules/'));
    assert.deepEqual(
      own.filter((file) => /\.test\.|^helper\/|^e2e\//.test(file)),
      [],
    );
  });

  test('should keep the native parts beside the archive, for one kind of machine', () => {
    const native = [...archived()].filter(([file]) => file.endsWith('.node'));
    assert.equal(native.length, 2);
    for (const [file, entry] of native) {
      assert.equal(entry.unpacked, true, file);
      assert.ok(existsSync(join(unpacked, 'resources/app.asar.unpacked', file)), file);
      assert.match(file, new RegExp(`linux[-_]${process.arch}`));
    }
  });

  const program = () => join(unpacked, 'faceplate-electron-program');

  test('security: should disable the ways to run other code in the Electron program', () => {
    const text = readFileSync(program(), 'latin1');
    const wire = text.slice(text.indexOf(SENTINEL) + SENTINEL.length + 2).slice(0, SHIPPED.length);
    // In the order of @electron/fuses: run as Node, (cookies), NODE_OPTIONS, --inspect, (archive checked: not on Linux),
    // archive only, (snapshot), pages from files may do more than others.
    assert.deepEqual(
      [0, 2, 3, 5, 7].map((fuse) => wire[fuse]),
      ['0', '0', '0', '1', '0'],
    );
  });

  describe('its launcher', () => {
    const isRoot = process.getuid?.() === 0;
    /** Starts it with programs of the test before those of the system. */
    const launch = (programs: Record<string, string>, args: string[], file = 'faceplate-electron') => {
      const folder = mkdtempSync(join(work, 'bin-'));
      for (const [name, script] of Object.entries({ id: 'echo 1000', ...programs }))
        writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env.PATH}`, HOME: work, APPIMAGE: '/tmp/a.AppImage' };
      return spawnSync(join(unpacked, file), args, { encoding: 'utf8', env });
    };

    test('should start the program with its arguments and status', () => {
      const { stdout, status } = launch({ unshare: 'exit 0' }, ['--host', 'electron']);
      assert.deepEqual([stdout, status], ['started --host electron\n', 7]);
    });

    test('security: should say in one sentence that user namespaces are forbidden, and start nothing', () => {
      for (const args of [[], ['--no-sandbox']]) {
        const { stdout, stderr, status } = launch({ unshare: 'exit 1' }, args);
        assert.deepEqual([stdout, status], ['', 1]);
        assert.match(stderr, /^faceplate: this machine forbids user namespaces .*\n$/);
      }
    });

    test('security: should refuse --no-sandbox, and root', () => {
      assert.match(launch({ unshare: 'exit 0' }, ['--no-sandbox']).stderr, /--no-sandbox is not taken/);
      assert.match(launch({ id: 'echo 0' }, []).stderr, /does not run as root/);
      if (isRoot) assert.equal(spawnSync(join(unpacked, 'faceplate-electron')).status, 1);
    });

    test("security: should end what an AppImage's start script begins without the sandbox", () => {
      const config = { DesktopFileName: 'a.desktop', ExecutableName: 'faceplate-electron', ProductName: 'F' };
      // Else its reader of configurations makes a folder for compiled ones in the temporary folder.
      process.env.JITI_FS_CACHE = 'false';
      const { generateAppRunScript } = createRequire(import.meta.url)(
        'app-builder-lib/out/targets/appimage/appImageUtil.js',
      ) as { generateAppRunScript: (config: object) => string };
      writeFileSync(join(unpacked, 'AppRun'), generateAppRunScript(config), { mode: 0o755 });
      const forbidden = launch({ unshare: 'exit 1' }, ['--host', 'electron'], 'AppRun');
      assert.match(forbidden.stderr, /forbids user namespaces/);
      assert.equal(forbidden.stdout, '');
      assert.equal(launch({ unshare: 'exit 0' }, ['--a'], 'AppRun').stdout, 'started --a\n');
    });
  });

  test('should be an AppImage with its own part of FUSE, and no argument that its desktop entry adds', () => {
    const { toolsets, linux } = electronBuilderConfiguration(root, { app: '/a', output: '/b' });
    assert.match(String(toolsets?.appimage), /^1\./);
    assert.deepEqual([linux?.target, linux?.executableArgs], [['AppImage'], []]);
  });
});
