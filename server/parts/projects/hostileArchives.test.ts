import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { ch5zFile, type ZipEntry, zipFile } from '../../testing/zipFile.ts';
import { TestProjects } from '../testing/testProjects.ts';

const page: ZipEntry = { name: 'index.html', content: '<!doctype html>' };

/** Installs and asserts that it is refused with a matching sentence, and that nothing changed on disk. */
async function refuses(archive: Uint8Array, words: RegExp, limits = { files: 20_000, bytes: 1024 ** 3 }) {
  await using projects = await TestProjects.make({ limits });
  await projects.install('kept', zipFile([page]));
  const before = await projects.onDisk();
  for (const name of ['hostile', 'kept']) {
    await assert.rejects(projects.install(name, archive), (error) => {
      assert.ok(error instanceof FaceplateError, String(error));
      assert.equal(error.code, 'INVALID_REQUEST', error.message);
      assert.match(error.message, words);
      assert.ok(!/\p{Cc}/u.test(error.message));
      return true;
    });
  }
  assert.deepEqual(await projects.onDisk(), before);
  assert.deepEqual(
    projects.service.list().projects.map(({ id }) => id),
    ['kept'],
  );
}

describe('hostile archives', () => {
  for (const name of ['../evil', 'a/../../evil', 'a/b/..', '..', 'a/..\\..\\evil', '..\\evil'])
    it(`should refuse a name that leaves the folder: ${name}`, async () => {
      await refuses(zipFile([page, { name, content: 'x' }]), /relative path|leaves its folder/);
      assert.ok(!existsSync('/tmp/evil'));
    });

  for (const name of ['/etc/cron.d/evil', 'C:/evil', 'c:evil', '\\evil', '\\\\host\\share'])
    it(`should refuse an absolute name: ${name}`, () =>
      refuses(zipFile([page, { name, content: 'x' }]), /absolute/));

  for (const [what, mode] of Object.entries({ link: 0o120777, device: 0o060666, pipe: 0o010666 }))
    it(`should refuse a ${what}`, () =>
      refuses(zipFile([page, { name: 'a', content: '/etc/passwd', mode }]), /link or another special/));

  it('should refuse a folder that is a link', () =>
    refuses(zipFile([page, { name: 'a/', mode: 0o120777 }]), /link or another special/));

  it('should refuse an encrypted entry', () =>
    refuses(zipFile([page, { name: 'a', content: 'x', flags: 1 }]), /encrypted/));

  it('should refuse entries packed with anything but deflate', () =>
    refuses(zipFile([page, { name: 'a', content: 'x', method: 14 }]), /not supported/));

  it('should refuse names that differ only in case, or not at all', async () => {
    await refuses(zipFile([page, { name: 'INDEX.html' }]), /only in case/);
    await refuses(zipFile([page, { name: 'a/x' }, { name: 'A/y' }]), /only in case/);
    await refuses(zipFile([page, { name: 'caf\u00e9' }, { name: 'cafe\u0301' }]), /only in case/);
    await refuses(zipFile([page, page]), /twice/);
  });

  it('should refuse a file and a folder with one name, in either order', async () => {
    await refuses(zipFile([page, { name: 'a' }, { name: 'a/b' }]), /twice/);
    await refuses(zipFile([page, { name: 'a/b' }, { name: 'a' }]), /twice/);
    await refuses(zipFile([page, { name: 'a/' }, { name: 'a' }]), /twice/);
  });

  it('should refuse names that no file can have', async () => {
    for (const name of ['a//b', 'a\0b', 'a\nb', 'x'.repeat(256), 'y/'.repeat(600)])
      await refuses(zipFile([page, { name }]), /cannot be used/);
  });

  it('should refuse an archive without index.html at its root, and say where it is', async () => {
    await refuses(zipFile([{ name: 'a.html' }]), /no index\.html at its root\./);
    await refuses(zipFile([{ name: 'dist/index.html' }]), /only dist\/index\.html/);
    await refuses(zipFile([{ name: 'index.html/' }]), /no index\.html/);
    await refuses(zipFile([]), /no index\.html/);
  });

  it('should name what is there instead of index.html, and what to do, whatever the system left beside it', async () => {
    const junk = [
      '__MACOSX/P/._index.html',
      '__MACOSX/index.html',
      '.DS_Store',
      'Thumbs.db',
      'P/desktop.ini',
    ];
    const packed = (...names: string[]) => zipFile([...junk, ...names].map((name) => ({ name })));
    await refuses(packed('Index.HTML', 'P/index.html'), /only Index\.HTML: rename that file/);
    await refuses(packed('index.htm'), /only index\.htm: rename/);
    await refuses(
      packed('P/x/index.html', 'P/index.html'),
      /only P\/index\.html: pack what is in that folder/,
    );
    await refuses(packed('P/INDEX.HTML'), /only P\/INDEX\.HTML: pack what/);
    await refuses(packed('P/panel.ch5', 'P/panel_manifest.json'), /only P\/panel\.ch5: pack what/);
    await refuses(packed('a.html'), /no index\.html at its root\.$/);
    await refuses(zipFile([{ name: '/index.html' }]), /absolute name: \/index\.html\. Pack it from inside/);
  });

  it('should refuse names in a code page that nobody named', async () => {
    const refuse = (bytes: number[], flags?: number) =>
      refuses(
        zipFile([page, { name: Uint8Array.from(bytes), ...(flags && { flags }) }]),
        /unknown code page: .*UTF-8/,
      );
    await refuse([0xb2, 0xe2, 0xca, 0xd4]); // GBK
    await refuse([0x47, 0x72, 0xfc, 0x6e]); // windows-1252
    await refuse([0x81, 0xff], 0x0800); // said to be UTF-8
  });

  it('should refuse more than 20,000 files', async () => {
    const many = Array.from({ length: 30_000 }, (_, i) => ({ name: `f${i}`, method: 0 }));
    await refuses(zipFile([page, ...many]), /more than 20000 files/);
  });

  it('should stop a bomb while unpacking, by the bytes that come out', async () => {
    const bomb = { name: 'bomb', content: Buffer.alloc(8 * 1024 ** 2) };
    await refuses(zipFile([page, bomb]), /more than 4 MiB/, { files: 10, bytes: 4 * 1024 ** 2 });
  });

  it('should stop a bomb whose headers lie about its size', async () => {
    const bomb = { name: 'bomb', content: Buffer.alloc(8 * 1024 ** 2), claimedSize: 10 };
    await refuses(zipFile([page, bomb]), /no sound zip|more than 4 MiB/, { files: 10, bytes: 4 * 1024 ** 2 });
  });

  it('should refuse an archive that is cut off, changed in transit, or no zip at all', async () => {
    const sound = zipFile([page, { name: 'a', content: 'some text of the page'.repeat(50) }]);
    await refuses(sound.subarray(0, sound.length / 2), /no sound zip/);
    await refuses(sound.subarray(0, sound.length - 3), /no sound zip/);
    await refuses(zipFile([page, { name: 'a', content: 'x', crc: 1 }]), /wrong checksum/);
    await refuses(zipFile([page, { name: 'a', content: 'xy', method: 0, claimedSize: 3 }]), /no sound zip/);
    await refuses(Buffer.from('<!doctype html>'), /no sound zip/);
    await refuses(Buffer.alloc(1), /no sound zip/);
  });
});

describe('hostile .ch5z archives', () => {
  const project = zipFile([page]);

  it('should refuse a digest that does not match, is missing or is invalid', async () => {
    await refuses(ch5zFile(project, 'a'.repeat(64)), /digest of panel\.ch5/);
    await refuses(ch5zFile(project, 'short'), /no sha-256/);
    await refuses(zipFile([{ name: 'panel.ch5', content: project }]), /not its manifest/);
    for (const content of ['{', 'null', '[]', '{}', '{"sha-256":1}'])
      await refuses(
        zipFile([
          { name: 'p.ch5', content: project },
          { name: 'p_manifest.json', content },
        ]),
        /manifest/,
      );
  });

  it('should judge the project inside like any other', async () => {
    await refuses(ch5zFile(zipFile([page, { name: '../evil' }])), /relative path|leaves its folder/);
    await refuses(ch5zFile(zipFile([{ name: 'a.html' }])), /no index\.html/);
    await refuses(ch5zFile(Buffer.from('no zip')), /no sound zip/);
    await refuses(ch5zFile(ch5zFile(project)), /no index\.html/);
  });
});
