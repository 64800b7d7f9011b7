import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { errnoOf } from '../../platform/errno.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { Backlight } from './backlight.ts';

describe('the backlights of the kernel', () => {
  let root = '';
  beforeEach(async () => {
    root = temporaryFolder('backlight');
  });

  async function add(name: string, files: Record<string, string | number>): Promise<void> {
    await mkdir(join(root, name), { recursive: true });
    const all = { brightness: 100, max_brightness: 200, type: 'raw', bl_power: 0, ...files };
    for (const [file, value] of Object.entries(all)) await writeFile(join(root, name, file), `${value}\n`);
  }
  const value = async (name: string, file = 'brightness') =>
    Number.parseInt(await readFile(join(root, name, file), 'utf8'), 10);

  test('should read and set percent between the lowest light that can be read and the highest', async () => {
    await add('panel', { brightness: 200 });
    const light = new Backlight(root);
    assert.equal(await light.read(), 100);
    assert.equal(await light.write(0), true);
    assert.equal(await value('panel'), 10);
    assert.equal(await light.read(), 0);
    await light.write(100);
    assert.equal(await value('panel'), 200);
    await writeFile(join(root, 'panel/brightness'), '3');
    assert.equal(await light.read(), 0);
  });

  test('should answer with the percent that was set, also where the light has few steps', async () => {
    await add('panel', { brightness: 1, max_brightness: 7 });
    const light = new Backlight(root);
    for (const percent of [0, 1, 33, 40, 99, 100]) {
      await light.write(percent);
      assert.equal(await light.read(), percent);
    }
    assert.ok((await value('panel')) >= 1);
  });

  test('should switch the light by its own switch, and leave the brightness', async () => {
    await add('panel', {});
    const light = new Backlight(root);
    assert.equal(await light.light(false), true);
    assert.deepEqual([await value('panel', 'bl_power'), await value('panel')], [4, 100]);
    await light.light(true);
    assert.deepEqual([await value('panel', 'bl_power'), await value('panel')], [0, 100]);
  });

  test('should switch a light without a switch by its brightness, which can be set meanwhile', async () => {
    await add('panel', {});
    await rm(join(root, 'panel/bl_power'));
    const light = new Backlight(root);
    await light.light(false);
    await light.light(false);
    assert.equal(await value('panel'), 0);
    assert.equal(await light.read(), 47);
    await light.write(100);
    assert.equal(await value('panel'), 0, 'setting the brightness has lit the screen');
    await light.light(true);
    assert.equal(await value('panel'), 200);
    assert.equal(await light.read(), 100);
  });

  test('should light a screen that a killed run has left dark', async () => {
    await add('panel', { brightness: 0, bl_power: 4 });
    const light = new Backlight(root);
    await light.light(true);
    assert.deepEqual([await value('panel', 'bl_power'), await value('panel')], [0, 200]);
  });

  test('should prefer the kind that controls the real light, and let several of it follow together', async () => {
    await add('acpi', { type: 'firmware', brightness: 3, max_brightness: 10 });
    await add('gpu', { type: 'raw' });
    const one = new Backlight(root);
    await one.write(100);
    assert.deepEqual([await value('acpi'), await value('gpu')], [10, 100]);
    await rm(join(root, 'acpi'), { recursive: true });
    await add('second', { brightness: 1 });
    await one.light(false);
    await one.write(0);
    assert.deepEqual([await value('second'), await value('gpu')], [10, 10]);
    assert.deepEqual([await value('second', 'bl_power'), await value('gpu', 'bl_power')], [4, 4]);
  });

  test('should have none while there is none, and take one that appears', async () => {
    const light = new Backlight(root);
    assert.deepEqual(
      [await light.read(), await light.write(5), await light.light(false)],
      [null, false, false],
    );
    assert.equal(await new Backlight(join(root, 'no-such-folder')).read(), null);
    await add('panel', {});
    assert.equal(await light.read(), 47);
    await rm(join(root, 'panel'), { recursive: true });
    assert.deepEqual(
      [await light.read(), await light.write(5), await light.light(true)],
      [null, false, false],
    );
  });

  test('should make no file where a light has vanished in the middle', async () => {
    await add('panel', {});
    await rm(join(root, 'panel/brightness'));
    const light = new Backlight(root);
    assert.deepEqual([await light.read(), await light.write(5)], [null, false]);
    await assert.rejects(readFile(join(root, 'panel/brightness')), { code: 'ENOENT' });
  });

  test('should report what is no number, and count a highest light of 0 as none', async () => {
    await add('panel', { brightness: 'bright' });
    await assert.rejects(new Backlight(root).read(), (error) => errnoOf(error) === 'EIO');
    await add('panel', { max_brightness: 0 });
    assert.equal(await new Backlight(root).read(), null);
  });
});
