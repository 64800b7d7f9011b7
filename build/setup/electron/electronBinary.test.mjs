import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { zipFile } from '../../../server/testing/zipFile.ts';
import { fetchElectron, findElectron } from './electronBinary.mjs';

const modules = join(import.meta.dirname, '../../../node_modules');
const { version } = JSON.parse(readFileSync(join(modules, 'electron/package.json'), 'utf8'));
const archiveName = `electron-v${version}-linux-${process.arch}.zip`;

describe('the Electron binary', () => {
  let folder;
  let root;
  let mirror;
  let asked;
  const archive = zipFile([
    { name: 'electron', content: '#!/bin/sh\n', mode: 0o100755 },
    { name: 'version', content: version },
  ]);

  before(async () => {
    folder = temporaryFolder('electron');
    mirror = createServer((request, response) => {
      asked.push(request.url);
      if (request.url.endsWith(archiveName)) response.end(archive);
      else if (request.url.endsWith('SHASUMS256.txt')) response.end(`${sha256(archive)} *${archiveName}\n`);
      else response.writeHead(404).end();
    });
    await new Promise((resolve) => mirror.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await new Promise((resolve) => mirror.close(resolve));
  });

  /** A project with the real installer and a list of digests of our own. */
  beforeEach(() => {
    asked = [];
    root = mkdtempSync(join(folder, 'project-'));
    const own = join(root, 'node_modules/electron');
    mkdirSync(own, { recursive: true });
    for (const name of ['install.js', 'package.json', 'index.js', 'abi_version'])
      copyFileSync(join(modules, 'electron', name), join(own, name));
    for (const name of readdirSync(modules)) {
      if (name !== 'electron') symlinkSync(join(modules, name), join(root, 'node_modules', name));
    }
  });

  const promise = (digest) =>
    writeFileSync(
      join(root, 'node_modules/electron/checksums.json'),
      JSON.stringify({ [archiveName]: digest }),
    );
  const fetch = (env = {}, say = (_line) => {}) =>
    fetchElectron({
      root,
      node: process.execPath,
      say,
      everyMs: 20,
      env: {
        PATH: process.env.PATH,
        HOME: root,
        ELECTRON_MIRROR: `http://127.0.0.1:${mirror.address().port}/`,
        electron_config_cache: join(root, 'cache'),
        ...env,
      },
    });

  it('should be fetched once, from the given mirror', async () => {
    promise(sha256(archive));
    assert.equal(findElectron(root, {}), undefined);
    const program = await fetch();
    assert.equal(program, join(root, 'node_modules/electron/dist/electron'));
    assert.equal(findElectron(root, {}), program);
    assert.equal(asked.length, 1);
    assert.equal(await fetch(), program);
    assert.equal(asked.length, 1);
  });

  it('should tell the progress while it is fetched', async () => {
    promise(sha256(archive));
    const lines = [];
    await fetch({}, (line) => void lines.push(line));
    assert.match(lines[0], /^Fetching the Electron binary/);
    assert.match(lines[1], /^ {2}still fetching the Electron binary, \d+ s so far$/);
    assert.match(lines.at(-1), /^Electron binary fetched in \d+ s\.$/);
  });

  it("security: should be refused when its digest differs from the package's own list", async () => {
    promise(sha256(Buffer.from('something else')));
    // Also when the environment says to trust the mirror.
    for (const env of [
      {},
      { electron_use_remote_checksums: '1', npm_config_electron_use_remote_checksums: '1' },
    ]) {
      await assert.rejects(fetch(env), /could not be fetched .*[Nn]othing was installed/);
      assert.equal(findElectron(root, {}), undefined);
      assert.equal(existsSync(join(root, 'node_modules/electron/dist')), false);
    }
    assert.deepEqual(
      asked.filter((url) => url.endsWith('SHASUMS256.txt')),
      [],
    );
  });

  it('should say in one sentence what to do without a network', async () => {
    promise(sha256(archive));
    await assert.rejects(fetch({ ELECTRON_MIRROR: 'http://127.0.0.1:9/' }), /Use --host chromium/);
  });

  it('should be taken from the given folder, and not be fetched', async () => {
    const given = join(root, 'given');
    mkdirSync(given);
    await assert.rejects(fetch({ ELECTRON_OVERRIDE_DIST_PATH: given }), /no program "electron"/);
    writeFileSync(join(given, 'electron'), '', { mode: 0o755 });
    assert.equal(await fetch({ ELECTRON_OVERRIDE_DIST_PATH: given }), join(given, 'electron'));
    assert.deepEqual(asked, []);
  });
});

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
