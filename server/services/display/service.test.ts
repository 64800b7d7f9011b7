import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { Backlight } from '../../drivers/display/backlight.ts';
import { SimulatedLevel } from '../../drivers/display/simulated.ts';
import { DisplayService } from './service.ts';

test('should read and set a backlight of the kernel in percent, and never make it dark', async () => {
  const root = await mkdtemp(join(tmpdir(), 'faceplate-backlight-'));
  await mkdir(join(root, 'panel'));
  await writeFile(join(root, 'panel/brightness'), '100\n');
  await writeFile(join(root, 'panel/max_brightness'), '200\n');
  const none = { read: async () => null, write: async () => assert.fail('must not write') };
  const display = new DisplayService({ brightness: new Backlight(root), volume: none });
  assert.deepEqual(await display.levels(), { brightness: 50, volume: null });
  assert.deepEqual(await display.set({ brightness: 0 }), { brightness: 5, volume: null });
  assert.equal(await readFile(join(root, 'panel/brightness'), 'utf8'), '10');
  await assert.rejects(
    display.set({ volume: 3 }),
    (error) => error instanceof FaceplateError && error.code === 'UNSUPPORTED_HARDWARE',
  );
  await writeFile(join(root, 'panel/brightness'), '10');
  await rm(join(root, 'panel/max_brightness'));
  await assert.rejects(
    display.levels(),
    (error) => error instanceof FaceplateError && error.code === 'HARDWARE_ERROR',
  );
  await rm(root, { recursive: true });
});

test('should have neither when the system has none, and both on the simulated board', async () => {
  assert.equal(await new Backlight(join(tmpdir(), 'faceplate-no-such-folder')).read(), null);
  const display = new DisplayService({ brightness: new SimulatedLevel(80), volume: new SimulatedLevel(40) });
  assert.deepEqual(await display.set({ brightness: 70, volume: 0 }), { brightness: 70, volume: 0 });
});
