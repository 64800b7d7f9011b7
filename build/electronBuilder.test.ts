import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
/** How @electron/fuses finds the switches in the program: this text, version 1, the count, and one letter each. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const SHIPPED = '101100111';

describe('the Electron package', () => {
  let work: string;
  let unpacked: string;

  before(async () => {
    work = mkdtempSync(join(tmpdir(), 'faceplate-electron-package-'));
    const standIn = join(work, 'electron');
    for (const folder of ['resources', 'locales']) mkdirSync(join(standIn, folder), { recursive: true });
    for (const file of [
      'LICENSE',
      'LICENSES.chromium.html',
      'version',
      'chrome-sandbox',
      'locales/en-US.pak',
    ])
      writeFileSync(join(standIn, file), 'stand-in');
    const wire = Buffer.from(`${SENTINEL}\x01${String.fromCharCode(SHIPPED.length)}${SHIPPED}`);
    writeFileSync(
      join(standIn, 'electron'),
      Buffer.concat([Buffer.from('\x7fELF'), wire, Buffer.alloc(64)]),
      {
        mode: 0o755,
      },
    );
    const script = join(root, 'build/distElectron.ts');
    const args = ['--disable-warning=ExperimentalWarning', script, '--dir', '--out', join(work, 'out')];
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

  test('security: should disable the ways to run other code in the Electron program', () => {
    const program = readFileSync(join(unpacked, 'faceplate-electron'), 'latin1');
    const wire = program.slice(program.indexOf(SENTINEL) + SENTINEL.length + 2).slice(0, SHIPPED.length);
    // In the order of @electron/fuses: run as Node, (cookies), NODE_OPTIONS, --inspect, archive checked, archive only.
    assert.deepEqual(
      [0, 2, 3, 4, 5].map((fuse) => wire[fuse]),
      ['0', '0', '0', '1', '1'],
    );
  });
});
