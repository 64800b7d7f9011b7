import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { readTar } from './tar.ts';

const bounds = { maxBytes: 4096, maxMembers: 8 };

describe('tar stream', () => {
  let root: string;
  const longName = `${'deep/'.repeat(40)}${'n'.repeat(90)}.desktop`;

  before(() => {
    root = temporaryFolder('tar');
    mkdirSync(join(root, 'deep/'.repeat(40)), { recursive: true });
    writeFileSync(join(root, longName), 'long');
    writeFileSync(join(root, 'a.desktop'), 'first');
    writeFileSync(join(root, 'big.desktop'), Buffer.alloc(100_000, 'b'));
    writeFileSync(join(root, 'c.txt'), Buffer.alloc(70_000, 'c'));
    writeFileSync(join(root, 'empty.desktop'), '');
    symlinkSync('a.desktop', join(root, 'link.desktop'));
  });

  async function read(args: readonly string[], limits = bounds) {
    const tar = spawn('tar', ['-c', '-C', root, ...args, '.'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const members = await readTar(tar.stdout, (name) => name.endsWith('.desktop'), limits);
      return members
        .map(({ name, content, isLink }) => ({ name, text: Buffer.from(content).toString(), isLink }))
        .sort((one, other) => (one.name < other.name ? -1 : 1));
    } finally {
      tar.stdout.destroy();
      tar.kill('SIGKILL');
    }
  }

  for (const format of ['gnu', 'ustar']) {
    test(`should find members in the ${format} format, and skip those above the size limit`, async () => {
      assert.deepEqual(
        await read([`--format=${format}`, ...(format === 'ustar' ? ['--exclude=./deep'] : [])]),
        [
          { name: 'a.desktop', text: 'first', isLink: false },
          ...(format === 'gnu' ? [{ name: longName, text: 'long', isLink: false }] : []),
          { name: 'empty.desktop', text: '', isLink: false },
          { name: 'link.desktop', text: '', isLink: true },
        ],
      );
    });
  }

  test('should stop at the largest number of members', async () => {
    assert.equal((await read(['--format=gnu'], { ...bounds, maxMembers: 2 })).length, 2);
  });

  test('security: should end on a stream that is cut off, damaged, or announces endless sizes', async () => {
    const header = Buffer.alloc(512);
    header.write('x.desktop');
    header.write('0', 156);
    header.write('77777777777', 124);
    const promised = await readTar(Readable.from([header, Buffer.alloc(700)]), () => true, bounds);
    assert.deepEqual(promised, []);
    header.write('L', 156);
    await assert.rejects(
      readTar(Readable.from([header]), () => true, bounds),
      /too long/,
    );
    header.write('not octal!!', 124);
    await assert.rejects(
      readTar(Readable.from([header]), () => true, bounds),
      /damaged/,
    );
    assert.deepEqual(await readTar(Readable.from([]), () => true, bounds), []);
  });
});
