import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash, hash } from 'node:crypto';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { letPass } from '../../testing/waiting.ts';
import { zipFile } from '../../testing/zipFile.ts';
import { TestProjects, upload } from '../testing/testProjects.ts';
import { treeDigest } from './projectChange.ts';

type Files = Readonly<Record<string, string>>;

const noCaller = new AbortController().signal;
const zip = (files: Files) => zipFile(Object.entries(files).map(([name, content]) => ({ name, content })));
const digest = (files: Files) =>
  treeDigest(
    new Map(
      Object.entries(files).map(([path, text]) => [path, createHash('sha256').update(text).digest('hex')]),
    ),
  );

const before: Files = { 'index.html': 'one', 'a/b.js': 'run()', 'a/c.js': 'walk()', Zeta: 'z', ä: 'umlaut' };

async function installed(options: Parameters<typeof TestProjects.make>[0] = {}) {
  const projects = await TestProjects.make(options);
  await projects.install('Lobby', zip(before));
  await projects.service.activate({ id: 'lobby' });
  const patch = (changed: Files, removed: string[], whole: Files, signal = noCaller) =>
    projects.service.patch(
      { id: 'lobby', removed, sha256: digest(whole), archive: upload(zip(changed)) },
      { signal },
    );
  const at = (path: string) => join(projects.service.folderOf('lobby')!, path);
  const isAsBefore = async () => {
    for (const [path, text] of Object.entries(before)) assert.equal(await readFile(at(path), 'utf8'), text);
    assert.ok((await projects.onDisk()).every((name) => !name.startsWith('.staging/')));
  };
  return { projects, patch, at, isAsBefore };
}

describe('a change of a project', () => {
  it('should change, add and remove files, and link the others', async () => {
    const { projects, patch, at } = await installed();
    await using _ = projects;
    const kept = statSync(at('a/b.js')).ino;
    const { 'a/c.js': _gone, ...rest } = before;
    const whole = { ...rest, 'index.html': 'two', 'new/d.js': 'fly()' };
    const answer = await patch({ 'index.html': 'two', 'new/d.js': 'fly()' }, ['a/c.js'], whole);
    assert.deepEqual(answer, { id: 'lobby', version: digest(whole).slice(0, 12), active: true });
    for (const [path, text] of Object.entries(whole)) assert.equal(await readFile(at(path), 'utf8'), text);
    assert.throws(() => statSync(at('a/c.js')), { code: 'ENOENT' });
    assert.equal(statSync(at('a/b.js')).ino, kept);
    const [entry] = projects.service.list().projects;
    assert.equal(
      entry?.size,
      Object.values(whole).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    );
    // The panel shows it, and the version before is there for a roll-back.
    assert.deepEqual(projects.screen.asked.slice(-2), ['clear lobby', 'show']);
    await projects.service.rollback({ id: 'lobby' });
    for (const [path, text] of Object.entries(before)) assert.equal(await readFile(at(path), 'utf8'), text);
  });

  it('should go on from change to change, also over a restart', async () => {
    const { projects, patch, at } = await installed();
    await using _ = projects;
    let whole = before;
    for (const text of ['2', '3', '4']) {
      whole = { ...whole, 'index.html': text };
      await patch({ 'index.html': text }, [], whole);
      if (text === '3') await projects.restart();
    }
    assert.equal(await readFile(at('index.html'), 'utf8'), '4');
    assert.equal((await projects.onDisk()).filter((name) => /^lobby\/[^/]+$/.test(name)).length, 2);
  });

  it('should have the digest that sha256sum makes', async () => {
    const { projects, at } = await installed();
    await using _ = projects;
    const line = "find . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum";
    const [told] = execFileSync('sh', ['-c', line], { cwd: at('.'), encoding: 'utf8' }).split(' ');
    assert.equal(told, digest(before));
  });

  it('security: should change nothing when the project is another one than the caller thinks', async () => {
    const { projects, patch, isAsBefore } = await installed();
    await using _ = projects;
    const conflict = { code: 'CONFLICT', status: 409 };
    await assert.rejects(patch({ 'index.html': 'two' }, [], { 'index.html': 'two' }), conflict);
    await assert.rejects(patch({}, ['not/there.js'], before), conflict);
    await assert.rejects(patch({}, ['../../state.json'], before), conflict);
    await isAsBefore();
    const nobody = { id: 'other', removed: [], sha256: digest(before), archive: upload(zip({})) };
    await assert.rejects(projects.service.patch(nobody, { signal: noCaller }), { code: 'PROJECT_NOT_FOUND' });
  });

  it('security: should obey the rules of an upload, both together', async () => {
    const { projects, patch, isAsBefore } = await installed({ limits: { files: 6, bytes: 100 } });
    await using _ = projects;
    const refused = { code: 'INVALID_REQUEST', status: 400 };
    for (const [changed, removed] of [
      [{ '../x': 'x' }, []],
      [{ 'A/B.JS': 'case' }, []],
      [{ a: 'a file for a folder' }, []],
      [{ 'Zeta/x': 'a folder for a file' }, []],
      [{ one: '1', two: '2' }, []],
      [{ large: 'x'.repeat(90) }, []],
      [{}, ['index.html']],
    ] as [Files, string[]][]) {
      const whole = Object.fromEntries(
        Object.entries({ ...before, ...changed }).filter(([path]) => !removed.includes(path)),
      );
      await assert.rejects(patch(changed, removed, whole), refused, JSON.stringify(changed));
    }
    const broken = {
      id: 'lobby',
      removed: [],
      sha256: digest(before),
      archive: upload(Buffer.from('no zip')),
    };
    await assert.rejects(projects.service.patch(broken, { signal: noCaller }), refused);
    await isAsBefore();
  });

  it('should change nothing when the disk is full or the caller is gone', async () => {
    let free = 1e9;
    const { projects, patch, isAsBefore } = await installed({ freeBytes: async () => free });
    await using _ = projects;
    const gone = AbortSignal.abort(new Error('gone'));
    await assert.rejects(patch({ 'index.html': 'two' }, [], before, gone), /gone/);
    free = 64 * 1024 ** 2;
    await assert.rejects(patch({ 'index.html': 'two' }, [], before), { code: 'STORAGE_FULL' });
    await isAsBefore();
  });

  it('security: should see files that were damaged on the disk', async () => {
    const { projects, patch, at } = await installed();
    await using _ = projects;
    writeFileSync(at('a/b.js'), 'damaged');
    const whole = { ...before, 'index.html': 'two' };
    await assert.rejects(patch({ 'index.html': 'two' }, [], whole), { code: 'CONFLICT' });
  });

  it('should be whole or nothing after kill -9 in the middle', async () => {
    await using projects = await TestProjects.make();
    await projects.service.stop();
    const program = join(import.meta.dirname, '../testing/patchUntilKilled.ts');
    for (const delay of [0, 13, 29, 47, 71, 110]) {
      const child = spawn(process.execPath, [program, projects.dataDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await letPass(delay);
      child.kill('SIGKILL');
      await once(child, 'close');
      await projects.restart();
      const [project] = projects.service.list().projects;
      const folder = projects.service.folderOf('panel')!;
      const digests = new Map<string, string>();
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        digests.set(relative(folder, path), hash('sha256', await readFile(path)));
      }
      assert.ok(digests.size >= 41);
      assert.equal(project?.version, treeDigest(digests).slice(0, 12));
      const left = (await projects.onDisk()).filter((name) => /^(?:panel\/[^/]+|\.staging.*)$/.test(name));
      assert.ok(left.length <= 2, left.join());
      await projects.service.remove({ id: 'panel' });
      await projects.service.stop();
    }
  });
});
