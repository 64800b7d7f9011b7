import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { answerRauc } from './bootBackend.ts';

const noGrub = !existsSync('/usr/bin/grub-editenv') && 'needs grub-editenv (grub-common)';
const NEW = ['ORDER=A B', 'A_OK=1', 'A_TRY=0', 'B_OK=0', 'B_TRY=0', 'PROVING='];

describe('what RAUC asks of the boot loader', { skip: noGrub }, () => {
  let folder: string;
  let grubenv: string;
  beforeEach(() => {
    folder = temporaryFolder('backend');
    grubenv = join(folder, 'grubenv');
    edit(...NEW);
  });

  /** GRUB's own program writes it, and reads it. */
  const edit = (...values: string[]) => execFileSync('grub-editenv', [grubenv, 'set', ...values]);
  const listed = () =>
    execFileSync('grub-editenv', [grubenv, 'list'], { encoding: 'utf8' }).trim().split('\n');
  const ask = (words: string, slot: 'A' | 'B' | null = 'A') =>
    answerRauc(words.split(' '), { slot, grubenv });

  test('should answer for a new image', async () => {
    assert.equal(await ask('get-current'), 'A');
    assert.equal(await ask('get-current', 'B'), 'B');
    assert.equal(await ask('get-primary'), 'A');
    assert.deepEqual([await ask('get-state A'), await ask('get-state B')], ['good', 'bad']);
    assert.deepEqual(listed(), NEW);
  });

  test('should write what an installation tells it, and leave the slot that is being proven', async () => {
    edit('PROVING=B');
    assert.equal(await ask('set-state B bad'), '');
    assert.equal(await ask('set-primary B'), '');
    assert.deepEqual(listed(), ['ORDER=B A', 'A_OK=1', 'A_TRY=0', 'B_OK=1', 'B_TRY=0', 'PROVING=B']);
    assert.equal(await ask('get-primary'), 'B');
    await ask('set-state B bad');
    assert.equal(await ask('get-primary'), 'A');
    await ask('set-state B good');
    assert.equal(await ask('get-primary'), 'B');
    assert.equal(statSync(grubenv).size, 1024);
  });

  test('should name the slot that the boot loader takes when the tries of a new version are used up', async () => {
    edit('ORDER=B A', 'B_OK=1', 'PROVING=B', 'B_TRY=2');
    assert.deepEqual([await ask('get-primary'), await ask('get-state B')], ['B', 'good']);
    edit('B_TRY=3');
    assert.deepEqual([await ask('get-primary'), await ask('get-state B')], ['A', 'bad']);
    // A proven slot is never counted.
    edit('PROVING=');
    assert.equal(await ask('get-primary'), 'B');
  });

  test('should go on from the slot that runs where the file was lost', async () => {
    for (const lost of ['', 'x'.repeat(1024)]) {
      writeFileSync(grubenv, lost);
      assert.equal(await ask('get-primary', 'B'), 'B');
      await ask('set-state A bad', 'B');
      assert.deepEqual(listed(), ['ORDER=B A', 'A_OK=0', 'A_TRY=0', 'B_OK=1', 'B_TRY=0', 'PROVING=']);
    }
  });

  test('should refuse other words, and a machine without slots, and write nothing', async () => {
    const before = readFileSync(grubenv);
    for (const words of [
      ...['', 'get-primary A', 'get-state', 'get-state C', 'set-state A', 'set-state A maybe'],
      ...['set-primary', 'set-primary A B', 'set-primary rootfs.0', 'reset'],
    ])
      await assert.rejects(ask(words), /asks for something else/, words);
    await assert.rejects(ask('get-primary', null), /not booted from a slot/);
    assert.deepEqual(readFileSync(grubenv), before);
  });

  test('should never empty the file, nor put another in its place', async () => {
    // Looks as fast as it can while the file is written; ends when it is gone.
    const look =
      '$| = 1; print "ready\\n"; my %seen; while (my @facts = stat $ARGV[0]) { $seen{"$facts[1] $facts[7]"}++; } ' +
      'print sort keys %seen;';
    const watcher = spawn('perl', ['-e', look, grubenv]);
    let said = '';
    watcher.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await once(watcher.stdout, 'data');
    const { ino } = statSync(grubenv);
    for (let round = 0; round < 100; round++) await ask(`set-primary ${round % 2 === 0 ? 'B' : 'A'}`);
    rmSync(grubenv);
    await once(watcher, 'close');
    assert.equal(said, `ready\n${ino} 1024`);
  });
});
