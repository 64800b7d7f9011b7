import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { FaceplateError } from '../../contract/errors.ts';
import { letPass } from '../../testing/waiting.ts';
import { ch5zFile, zipFile } from '../../testing/zipFile.ts';
import { TestProjects } from '../testing/testProjects.ts';
import { projectIdFor } from './projectRecords.ts';

/** An archive whose page says `text`. */
function page(text: string): Buffer {
  return zipFile([{ name: 'index.html', content: text }]);
}

function shownText(projects: TestProjects, id: string): string {
  return readFileSync(join(projects.service.folderOf(id) ?? '', 'index.html'), 'utf8');
}

function isError(code: string, words = /./) {
  return (error: unknown) =>
    error instanceof FaceplateError && error.code === code && words.test(error.message);
}

describe('ids of projects', () => {
  it('should be DNS labels made from the name', () => {
    for (const [name, id] of [
      ['Lobby Panel', 'lobby-panel'],
      ['  Größe & Maß!  ', 'gro-e-ma'],
      ['Été', 'ete'],
      ['xn--abc', 'xn-abc'],
      ['a.b_c/..', 'a-b-c'],
      ['7', '7'],
    ] as const)
      assert.equal(projectIdFor(name), id);
    const long = projectIdFor(`${'a'.repeat(62)} b`);
    assert.equal(long, 'a'.repeat(62));
  });

  it('should never be reserved or empty', () => {
    const ids = ['demo', 'Settings', 'API', 'localhost', 'intercom', '日本語', '!!!'].map(projectIdFor);
    for (const id of ids) assert.match(id, /^project-[0-9a-f]{12}$/);
    assert.equal(new Set(ids).size, ids.length);
  });
});

/** A Unicode path extra field (APPNOTE.TXT 4.6.9) for a name of these bytes. */
function unicodePath(bytes: Uint8Array, name: string, crc = crc32(bytes)): Buffer {
  const text = Buffer.from(name);
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + text.length, 2);
  field.writeUInt8(1, 4);
  field.writeUInt32LE(crc, 5);
  return Buffer.concat([field, text]);
}

describe('projects', () => {
  it('should take names of every system, and what systems add', async () => {
    await using projects = await TestProjects.make();
    const raw = (text: string) => Buffer.from(text, 'latin1');
    await projects.install(
      'Names',
      zipFile([
        { name: '/' },
        { name: './', mode: 0o040755 },
        { name: 'index.html' },
        { name: '__MACOSX/._index.html' },
        { name: '.DS_Store' },
        { name: raw('K\x81che.png') }, // CP437 and CP850
        { name: raw('bl\x86b\x91r/\x9d.png') }, // CP850 alone
        { name: raw('back\\\xe1.png') },
        { name: Buffer.from('utf8-ü.png') }, // UTF-8 without the flag
        { name: raw('?.png'), extra: unicodePath(raw('?.png'), '測試.png') },
        { name: raw('old.png'), extra: unicodePath(raw('?.png'), 'new.png') }, // renamed by a program without it
      ]),
    );
    const names = readdirSync(projects.service.folderOf('names') ?? '', {
      recursive: true,
      encoding: 'utf8',
    });
    for (const name of [
      ...['Küche.png', 'blåbær/Ø.png', 'back/ß.png', 'utf8-ü.png', '測試.png', 'old.png'],
      ...['__MACOSX/._index.html', '.DS_Store'],
    ])
      assert.ok(names.includes(name), `${name} in ${names}`);
    assert.equal(names.length, 12);

    const inner = page('from a Mac');
    const digest = createHash('sha256').update(inner).digest('hex');
    await projects.install(
      'Mac',
      zipFile([
        { name: '._panel.ch5', content: 'fork' },
        { name: 'panel.ch5', content: inner },
        { name: 'panel_manifest.json', content: JSON.stringify({ 'sha-256': digest }) },
      ]),
    );
    assert.equal(shownText(projects, 'mac'), 'from a Mac');
  });

  it('should refuse a project whose joins are wrong, and say which project they are of before its page loads', async () => {
    const followed: [string | null, string | undefined, number][] = [];
    await using projects = await TestProjects.make();
    const { screen } = projects;
    await projects.restart({
      joins: {
        check: async (folder) => {
          if (readdirSync(folder).includes('joins.json'))
            throw new FaceplateError('INVALID_REQUEST', 'It is wrong.', { field: 'version' });
        },
        follow: async (id, folder) => void followed.push([id, folder, screen.asked.length]),
      },
    });
    await projects.install('One', page('one'));
    const wrong = zipFile([{ name: 'index.html' }, { name: 'joins.json', content: '{}' }]);
    for (const name of ['One', 'Two'])
      await assert.rejects(projects.install(name, wrong), { code: 'INVALID_REQUEST', field: 'version' });
    assert.equal(shownText(projects, 'one'), 'one');
    assert.equal(projects.service.list().projects.length, 1);
    await projects.service.activate({ id: 'one' });
    assert.deepEqual(followed, [
      [null, undefined, 0],
      ['one', projects.service.folderOf('one'), 0],
    ]);
    await projects.service.remove({ id: 'one' });
    assert.deepEqual(followed.at(-1)?.slice(0, 2), [null, undefined]);
  });

  it('should install, list and activate a .zip and a .ch5z', async () => {
    await using projects = await TestProjects.make();
    const archive = zipFile([
      { name: 'folder/', mode: 0o040755 },
      { name: 'folder/deep/a.js', content: 'run()', mode: 0o100644 },
      { name: './index.html', content: 'hello' },
      { name: 'stored', content: 'as it is', method: 0 },
      { name: 'empty' },
    ]);
    assert.deepEqual(await projects.install('Lobby Panel', archive), {
      id: 'lobby-panel',
      name: 'Lobby Panel',
      active: false,
    });
    assert.equal(shownText(projects, 'lobby-panel'), 'hello');
    const folder = projects.service.folderOf('lobby-panel') ?? '';
    assert.equal(readFileSync(join(folder, 'folder/deep/a.js'), 'utf8'), 'run()');
    assert.equal(readFileSync(join(folder, 'stored'), 'utf8'), 'as it is');
    assert.equal(readFileSync(join(folder, 'empty'), 'utf8'), '');
    assert.deepEqual(projects.screen.asked, []);

    await projects.install('Second', ch5zFile(page('from ch5')));
    assert.equal(shownText(projects, 'second'), 'from ch5');
    assert.deepEqual(await projects.service.activate({ id: 'second' }), { id: 'second', active: true });
    assert.deepEqual(projects.screen.asked, ['show']);
    const [first, second] = projects.service.list().projects;
    assert.deepEqual(
      { ...first, installedAt: '', version: '' },
      {
        id: 'lobby-panel',
        name: 'Lobby Panel',
        version: '',
        installedAt: '',
        size: 18,
        active: false,
        previousAt: null,
      },
    );
    assert.match(second?.version ?? '', /^[0-9a-f]{12}$/);
    assert.equal(second?.active, true);
  });

  it('should keep everything over a restart', async () => {
    await using projects = await TestProjects.make();
    await projects.install('One', page('1'));
    await projects.install('One', page('2'));
    await projects.service.activate({ id: 'one' });
    const before = projects.service.list();
    await projects.restart();
    assert.deepEqual(projects.service.list(), before);
    assert.equal(projects.service.active, 'one');
    await projects.service.rollback({ id: 'one' });
    assert.equal(shownText(projects, 'one'), '1');
  });

  it('should replace the active project at once, clear its caches, and go back one step', async () => {
    await using projects = await TestProjects.make();
    const { service, screen } = projects;
    await projects.install('One', page('1'));
    await service.activate({ id: 'one' });
    const versions = [service.list().projects[0]?.version];
    screen.asked.length = 0;
    for (const text of ['2', '3']) {
      assert.equal((await projects.install('One', page(text))).active, true);
      assert.equal(shownText(projects, 'one'), text);
      versions.push(service.list().projects[0]?.version);
    }
    assert.deepEqual(screen.asked, ['clear one', 'show', 'clear one', 'show']);
    assert.equal(readdirSync(join(projects.dataDir, 'projects/one')).length, 2);
    const [listed] = service.list().projects;
    assert.ok(listed?.previousAt !== null && String(listed?.previousAt) <= String(listed?.installedAt));
    assert.deepEqual(await service.rollback({ id: 'one' }), { id: 'one', version: versions[1] });
    assert.equal(shownText(projects, 'one'), '2');
    assert.deepEqual(screen.asked.slice(4), ['clear one', 'show']);
    assert.equal(service.list().projects[0]?.previousAt, null);
    await assert.rejects(service.rollback({ id: 'one' }), isError('CONFLICT'));
    assert.equal(readdirSync(join(projects.dataDir, 'projects/one')).length, 1);
  });

  it('should keep the step back and the caches when the same archive is installed again', async () => {
    await using projects = await TestProjects.make();
    for (const text of ['1', '2', '2']) await projects.install('One', page(text));
    assert.deepEqual(projects.screen.asked, ['clear one']);
    await projects.service.rollback({ id: 'one' });
    assert.equal(shownText(projects, 'one'), '1');
  });

  it('should remove a project with its files, and show the demo if it was active', async () => {
    await using projects = await TestProjects.make();
    await projects.install('One', page('1'));
    await projects.install('Two', page('2'));
    await projects.service.activate({ id: 'one' });
    projects.screen.asked.length = 0;
    assert.deepEqual(await projects.service.remove({ id: 'one' }), { status: 'removed' });
    assert.deepEqual(projects.screen.asked, ['clear one', 'show']);
    assert.equal(projects.service.active, null);
    assert.equal(projects.service.folderOf('one'), undefined);
    await projects.service.remove({ id: 'two' });
    assert.deepEqual(await projects.onDisk(), ['.staging', 'state.json']);
  });

  it('should refuse unknown ids and a name whose id is taken', async () => {
    await using projects = await TestProjects.make();
    const { service } = projects;
    await projects.install('My Panel', page('1'));
    for (const id of ['nobody', 'constructor', 'demo'])
      for (const call of [service.activate({ id }), service.rollback({ id }), service.remove({ id })])
        await assert.rejects(call, isError('PROJECT_NOT_FOUND'));
    await assert.rejects(projects.install('my-panel', page('2')), isError('CONFLICT', /My Panel/));
    assert.equal(shownText(projects, 'my-panel'), '1');
  });

  it('should refuse what does not fit with STORAGE_FULL before it is written', async () => {
    const reserve = 64 * 1024 ** 2;
    let free = reserve + 1_000;
    await using projects = await TestProjects.make({ freeBytes: async () => free });
    const archive = zipFile([{ name: 'index.html', content: 'x'.repeat(5_000) }]);
    await assert.rejects(projects.install('One', archive), isError('STORAGE_FULL', /free space/));
    free = reserve + 5_000;
    await projects.install('One', archive);
    free = 10;
    await assert.rejects(projects.install('Two', archive), isError('STORAGE_FULL'));
    assert.deepEqual(
      projects.service.list().projects.map(({ id }) => id),
      ['one'],
    );
  });

  it('should clean up after an upload that breaks off, and after a stop in the middle', async () => {
    await using projects = await TestProjects.make();
    const broken = {
      size: 100,
      bytes: (async function* () {
        yield Buffer.from('PK');
        throw new FaceplateError('REQUEST_TIMEOUT');
      })(),
    };
    const { signal } = new AbortController();
    await assert.rejects(
      projects.service.install({ name: 'a', archive: broken }, { signal }),
      isError('REQUEST_TIMEOUT'),
    );
    const endless = {
      size: undefined,
      bytes: (async function* () {
        for (;;) {
          await letPass(5);
          yield Buffer.from('PK');
        }
      })(),
    };
    const installing = projects.service.install({ name: 'b', archive: endless }, { signal });
    const refused = assert.rejects(installing, isError('SHUTTING_DOWN'));
    await projects.service.stop();
    await refused;
    assert.deepEqual(readdirSync(join(projects.dataDir, 'projects/.staging')), []);
  });

  it('should leave nothing of an installation whose caller leaves while it is unpacked', async () => {
    const caller = new AbortController();
    let asked = 0;
    await using projects = await TestProjects.make({
      // It is read a second time before the files are written.
      freeBytes: async () => {
        asked++;
        if (asked === 2) caller.abort(new FaceplateError('REQUEST_TIMEOUT'));
        return 1024 ** 4;
      },
    });
    await assert.rejects(projects.install('One', page('1'), caller.signal), isError('REQUEST_TIMEOUT'));
    assert.equal(asked, 2);
    assert.deepEqual(await projects.onDisk(), ['.staging']);
  });

  it('should install one at a time, all of them', async () => {
    await using projects = await TestProjects.make();
    const texts = ['1', '2', '3', '4', '5'];
    await Promise.all(texts.map((text) => projects.install(`p${text}`, page(text))));
    for (const text of texts) assert.equal(shownText(projects, `p${text}`), text);
  });

  it('should clear caches later when there is no browser, even after a restart', async () => {
    await using projects = await TestProjects.make();
    projects.screen.isThere = false;
    for (const text of ['1', '2']) await projects.install('One', page(text));
    await projects.service.activate({ id: 'one' });
    await projects.restart();
    projects.screen.isThere = true;
    projects.screen.asked.length = 0;
    await projects.service.screenReady();
    assert.deepEqual(projects.screen.asked, ['clear one', 'show']);
    await projects.service.screenReady();
    assert.equal(projects.screen.asked.length, 2);
  });

  it('should show the demo when the files of the active project are gone, until it is installed again', async () => {
    await using projects = await TestProjects.make();
    await projects.install('One', page('1'));
    await projects.service.activate({ id: 'one' });
    rmSync(projects.service.folderOf('one') ?? '', { recursive: true });
    await projects.restart();
    assert.equal(projects.service.active, null);
    assert.equal((await projects.install('One', page('1'))).active, true);
    assert.equal(shownText(projects, 'one'), '1');
  });

  it('should not remove projects when their state file cannot be read', async () => {
    await using projects = await TestProjects.make();
    await projects.install('One', page('1'));
    const folder = projects.service.folderOf('one') ?? '';
    writeFileSync(join(projects.dataDir, 'projects/state.json'), '{');
    await projects.restart();
    assert.deepEqual(projects.service.list(), { projects: [] });
    assert.deepEqual(readdirSync(folder), ['index.html']);
  });

  it('should install and activate a file of this machine, named like the file', async () => {
    await using projects = await TestProjects.make();
    const path = join(projects.dataDir, 'Lobby Panel.ch5z');
    writeFileSync(path, ch5zFile(page('1')));
    await projects.service.installFile(path);
    await projects.service.installFile(path);
    assert.equal(projects.service.active, 'lobby-panel');
    assert.equal(shownText(projects, 'lobby-panel'), '1');
    await assert.rejects(projects.service.installFile(join(projects.dataDir, 'no.zip')));
  });
});

describe('kill -9 while installing', () => {
  it('should leave a whole version and nothing else', async () => {
    await using projects = await TestProjects.make();
    await projects.service.stop();
    for (const delay of [0, 23, 67, 110, 190]) {
      const program = join(import.meta.dirname, '../testing/installUntilKilled.ts');
      const child = spawn(process.execPath, [program, projects.dataDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await letPass(delay);
      child.kill('SIGKILL');
      await once(child, 'close');
      await projects.restart();
      assert.equal(projects.service.list().projects.length, 1);
      const folder = projects.service.folderOf('panel') ?? '';
      const text = readFileSync(join(folder, 'index.html'), 'utf8');
      assert.match(text, /^(version \d+ )\1{1999}$/);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      assert.equal(files.length, 41);
      for (const { parentPath, name } of files)
        assert.equal(readFileSync(join(parentPath, name), 'utf8'), text);
      assert.deepEqual(
        readdirSync(join(projects.dataDir, 'projects')).filter((name) => name !== 'state.json.tmp'),
        ['panel', 'state.json'],
      );
      assert.ok(readdirSync(join(projects.dataDir, 'projects/panel')).length <= 2);
    }
  });
});
