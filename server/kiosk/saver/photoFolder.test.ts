import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { PhotoFolder } from './photoSources.ts';

/** A PNG as far as it says its size; the rest of it tells which one it is. */
function png(width: number, height: number, rest = ''): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452000000000000000008020000', 'hex');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, Buffer.from(rest.padEnd(16))]);
}

let folder = '';
let photos: PhotoFolder;
beforeEach(async () => {
  folder = temporaryFolder('photos');
});
afterEach(async () => {
  photos.stop();
});

const add = (name: string, bytes: string | Buffer = png(4, 3, name)) => writeFile(join(folder, name), bytes);

async function open(clock = new FakeClock() as ConstructorParameters<typeof PhotoFolder>[0]['clock']) {
  let changes = 0;
  photos = new PhotoFolder({ path: folder, clock });
  await photos.start(() => changes++);
  return { changes: () => changes };
}

/** What tells the next photo from others. */
async function next(): Promise<string | undefined> {
  const photo = await photos.next();
  return photo && (await buffer(photo.body as Readable)).subarray(28).toString().trim();
}

describe('a folder of photos', () => {
  it('should give them by name as people count, again and again, with their type by content', async () => {
    for (const name of ['10.png', '2.png', 'B.jpg', 'a.txt']) await add(name);
    await open();
    const seen = [];
    for (let n = 0; n < 5; n++) seen.push(await next());
    assert.deepEqual(seen, ['2.png', '10.png', 'a.txt', 'B.jpg', '2.png']);
    const photo = await photos.next();
    assert.equal(photo?.type, 'image/png');
    (photo!.body as Readable).destroy();
  });

  it('should go on where it was, also after a pause and when others came and went', async () => {
    for (const name of ['a', 'c', 'd']) await add(name);
    await open();
    assert.deepEqual([await next(), await next()], ['a', 'c']);
    photos.stop();
    await unlink(join(folder, 'a'));
    await add('b');
    await photos.start(() => {});
    assert.deepEqual([await next(), await next()], ['d', 'b']);
  });

  it('should be read anew when it changes, and when it comes at all', async () => {
    await rm(folder, { recursive: true });
    const clock = new FakeClock();
    const { changes } = await open(clock);
    assert.equal(photos.count, 0);
    await mkdir(folder);
    await add('a');
    clock.advance(60_000);
    await until(() => photos.count === 1);
    assert.equal(changes(), 1);
  });

  it('should notice a new photo within seconds', async () => {
    await add('a');
    await open(systemClock);
    await add('b.part');
    await rename(join(folder, 'b.part'), join(folder, 'b'));
    await until(() => photos.count === 2);
  });

  it('security: should skip what is no picture, broken, huge or hostile', async () => {
    await add('svg.png', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    await add('html.jpg', '<!doctype html><script>alert(1)</script>     ');
    await add('empty.jpg', '');
    await add('short.jpg', Buffer.from('ffd8ffe0', 'hex'));
    await add(
      'endless.jpg',
      Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(9_000, 'ffe00002', 'hex')]),
    );
    await add('bomb.png', png(20_000, 20_000));
    await add('flat.png', png(0, 9));
    await add('large.png');
    await truncate(join(folder, 'large.png'), 40_000_001);
    await open();
    assert.equal(await next(), undefined);
    await add('z-good');
    photos.stop();
    await photos.start(() => {});
    assert.equal(await next(), 'z-good');
  });

  it('security: should show nothing outside of the folder, and open no pipe or device', async () => {
    const outside = temporaryFolder('secret');
    await writeFile(join(outside, 'secret.png'), png(4, 3, 'secret'));
    await symlink(join(outside, 'secret.png'), join(folder, 'link.png'));
    await symlink('/dev/zero', join(folder, 'zero.png'));
    await mkdir(join(folder, 'sub'));
    await writeFile(join(folder, 'sub', 'deep.png'), png(4, 3, 'deep'));
    execFileSync('mkfifo', [join(folder, 'pipe.png')]);
    await add('was-a-file.png');
    await open();
    assert.equal(photos.count, 1);
    // It becomes a link after it was listed.
    await unlink(join(folder, 'was-a-file.png'));
    await symlink(join(outside, 'secret.png'), join(folder, 'was-a-file.png'));
    assert.equal(await next(), undefined);
  });
});
