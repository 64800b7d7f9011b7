import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, test } from 'node:test';
import { z } from 'zod';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { createLogger, silentLogger } from '../log.ts';
import { StateFile } from './stateFile.ts';
import type { StateStep } from './storedValue.ts';

// One file in three versions: 2 gave the volume another unit and name, 3 added a list.
const version1 = { schema: z.strictObject({ name: z.string(), volume: z.number() }) };
const version2 = { schema: z.strictObject({ name: z.string(), percent: z.number() }) };
const version3 = { schema: z.strictObject({ ...version2.schema.shape, rooms: z.array(z.string()) }) };

const toPercent: StateStep = (value) => {
  const { volume, ...rest } = value as { volume?: number };
  return volume === undefined ? rest : { ...rest, percent: volume * 10 };
};
const addRooms: StateStep = (value) => ({ rooms: [], ...(value as object) });

describe('versions of a state file', () => {
  let folder: string;
  let path: string;
  let lines: PassThrough;
  beforeEach(() => {
    folder = temporaryFolder('versions');
    path = join(folder, 'state.json');
    lines = new PassThrough();
  });

  const log = () => createLogger('info', lines);
  const first = () => new StateFile({ ...version1, path, defaults: { name: 'none', volume: 5 }, log: log() });
  const second = () =>
    new StateFile({
      ...version2,
      path,
      steps: [toPercent],
      defaults: { name: 'none', percent: 50 },
      log: log(),
    });
  const third = (steps: readonly StateStep[] = [toPercent, addRooms]) =>
    new StateFile({
      ...version3,
      path,
      steps,
      defaults: { name: 'none', percent: 50, rooms: [] as string[] },
      log: log(),
    });
  const write = (tree: unknown) => writeFileSync(path, JSON.stringify(tree));
  const onDisk = (file = path): unknown => JSON.parse(readFileSync(file, 'utf8'));
  const logged = () => String(lines.read() ?? '');

  test('should migrate a file without a version through every step, in order, and keep a copy', async () => {
    const old = '{ "name":"hall",\n "volume":7 }';
    writeFileSync(path, old);
    const order: number[] = [];
    const steps = [toPercent, addRooms].map((step, index) => (value: unknown) => {
      order.push(index);
      return step(value);
    });
    assert.deepEqual(await third(steps).load(), { name: 'hall', percent: 70, rooms: [] });
    assert.deepEqual(order, [0, 1]);
    assert.deepEqual(onDisk(), { version: 3, value: { name: 'hall', percent: 70, rooms: [] } });
    assert.equal(readFileSync(`${path}.v0`, 'utf8'), old);
    assert.equal(statSync(`${path}.v0`).mode & 0o777, 0o600);
    assert.match(logged(), /"from":0,"to":3,"msg":"storage: state file migrated"/);
    // The second start takes no step.
    assert.deepEqual(await third(steps).load(), { name: 'hall', percent: 70, rooms: [] });
    assert.deepEqual(order, [0, 1]);
  });

  test('should take only the steps that a file still needs', async () => {
    write({ version: 2, value: { name: 'hall', percent: 30 } });
    const never: StateStep = () => assert.fail('this step was taken before');
    assert.deepEqual(await third([never, addRooms]).load(), { name: 'hall', percent: 30, rooms: [] });
    assert.deepEqual(readdirSync(folder).sort(), ['state.json', 'state.json.v2']);
  });

  test('should set aside a file whose step or result fails, without another copy', async () => {
    for (const [tree, steps] of [
      [{ name: 'hall', volume: 'loud' }, undefined],
      [
        { version: 2, value: { name: 'hall', percent: 1 } },
        [toPercent, () => assert.fail('a step that fails')],
      ],
    ] as const) {
      write(tree);
      assert.deepEqual(await third(steps).load(), { name: 'none', percent: 50, rooms: [] });
      const [aside, ...others] = readdirSync(folder);
      assert.match(String(aside), /^state\.json\.corrupt-/);
      assert.deepEqual(others, []);
      assert.deepEqual(onDisk(join(folder, String(aside))), tree);
      rmSync(join(folder, String(aside)));
    }
  });

  const old = '{"name":"hall","volume":7}';
  for (const [when, files] of [
    ['while the copy was written', { 'state.json': old, 'state.json.v0.tmp': '{"na' }],
    ['once the copy was there', { 'state.json': old, 'state.json.v0': old }],
    [
      'while the new file was written',
      { 'state.json': old, 'state.json.v0': old, 'state.json.tmp': '{"version":3,"va' },
    ],
    [
      'once the new file was there',
      {
        'state.json': '{"version":3,"value":{"name":"hall","percent":70,"rooms":[]}}',
        'state.json.v0': old,
      },
    ],
  ] as const)
    test(`should lose nothing when the power failed ${when}`, async () => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      assert.deepEqual(await third().load(), { name: 'hall', percent: 70, rooms: [] });
      assert.deepEqual(onDisk(), { version: 3, value: { name: 'hall', percent: 70, rooms: [] } });
      assert.equal(readFileSync(`${path}.v0`, 'utf8'), old);
    });

  test('should continue with the migrated value when it cannot write, and write no file without the copy', async () => {
    write({ name: 'hall', volume: 7 });
    const blocker = `${path}.v0.tmp/in-the-way`;
    mkdirSync(blocker, { recursive: true });
    const file = third();
    assert.deepEqual(await file.load(), { name: 'hall', percent: 70, rooms: [] });
    assert.deepEqual(onDisk(), { name: 'hall', volume: 7 });
    assert.match(logged(), /could not write the state file/);
    const next = { name: 'hall', percent: 1, rooms: [] };
    await assert.rejects(file.save(next), { code: 'STORAGE_FULL' });
    assert.deepEqual(onDisk(), { name: 'hall', volume: 7 });
    rmSync(`${path}.v0.tmp`, { recursive: true });
    await file.save(next);
    assert.deepEqual(onDisk(), { version: 3, value: next });
    assert.deepEqual(onDisk(`${path}.v0`), { name: 'hall', volume: 7 });
  });

  test('should keep the last two copies, however often versions change', async () => {
    for (let round = 0; round < 3; round++)
      for (const make of [first, second, third]) {
        const file = make() as StateFile<unknown>;
        await file.load();
        await file.save({ ...(file.value as object), name: `${round}` });
      }
    const copies = readdirSync(folder).filter((name) => name !== 'state.json');
    assert.equal(copies.length, 2, String(copies));
  });

  test('should not overwrite the file of a later version before something is changed', async () => {
    const text = '{"value":{"name":"hall","percent":30,"mood":{"a":1}},"version":5}';
    writeFileSync(path, text);
    const file = second();
    assert.deepEqual(await file.load(), { name: 'hall', percent: 30 });
    assert.equal(file.isWhole, false);
    assert.equal(file.isUsable, true);
    assert.equal(readFileSync(path, 'utf8'), text);
    const said = logged();
    assert.match(said, /"level":"warn".*"latest":5.*"ignored":"mood"/);
    assert.match(said, /"kept":true/);
    assert.deepEqual(readdirSync(folder), ['state.json']);
  });

  test('should name what it ignores, and never its value', async () => {
    write({ version: 5, value: { name: ['hunter2'], percent: 30, key: 'hunter2' } });
    assert.deepEqual(await second().load(), { name: 'none', percent: 30 });
    const said = logged();
    assert.match(said, /"ignored":"key, name"/);
    assert.doesNotMatch(said, /hunter2/);
  });

  test('should not treat the file of a later version as damaged, whatever it contains', async () => {
    for (const value of [undefined, null, 5, 'x', [], [1], {}, { name: null }, { percent: { a: [] } }]) {
      write({ version: 5, value });
      const file = second();
      assert.deepEqual(await file.load(), { name: 'none', percent: 50 });
      assert.equal(file.isUsable, true);
      await file.save({ name: 'none', percent: 8 });
      assert.equal((onDisk() as { latest: number }).latest, 5);
      assert.deepEqual(await second().load(), { name: 'none', percent: 8 });
      const copy = onDisk(`${path}.v5`);
      assert.deepEqual(copy, JSON.parse(JSON.stringify({ version: 5, value })));
    }
  });

  test('should restore everything, and the changes in between, when a panel went back and forth', async () => {
    write({ version: 3, value: { name: 'hall', percent: 30, rooms: ['a', 'b'] } });
    const down = first();
    assert.deepEqual(await down.load(), { name: 'hall', volume: 5 });
    await down.save({ name: 'lobby', volume: 5 });
    // A default in place of an unknown value was not chosen by anybody.
    assert.deepEqual(onDisk(), {
      version: 1,
      latest: 3,
      value: { name: 'lobby', percent: 30, rooms: ['a', 'b'] },
    });
    assert.deepEqual(await first().load(), { name: 'lobby', volume: 5 });

    const middle = second();
    assert.deepEqual(await middle.load(), { name: 'lobby', percent: 30 });
    assert.deepEqual(onDisk(), {
      version: 2,
      latest: 3,
      value: { name: 'lobby', percent: 30, rooms: ['a', 'b'] },
    });

    const again = first();
    await again.load();
    await again.save({ name: 'lobby', volume: 9 });
    assert.deepEqual(await third().load(), { name: 'lobby', percent: 90, rooms: ['a', 'b'] });
    assert.deepEqual(onDisk(), {
      version: 3,
      value: { name: 'lobby', percent: 90, rooms: ['a', 'b'] },
    });
  });

  test('should start with what an earlier version left in its own form, and drop from the file what no version knows', async () => {
    const left = { version: 1, latest: 3, value: { name: 'lobby', volume: 9, rooms: 'all', old: 1 } };
    write(left);
    const file = third();
    assert.deepEqual(await file.load(), { name: 'lobby', percent: 90, rooms: [] });
    assert.equal(file.isUsable, true);
    assert.deepEqual(onDisk(), { version: 3, value: { name: 'lobby', percent: 90, rooms: [] } });
    assert.deepEqual(onDisk(`${path}.v1`), left);
    assert.match(logged(), /"ignored":"old, rooms"/);
  });

  test('security: should keep a file marked keepUnusable when a value of a later version does not fit', async () => {
    const options = { ...version1, path, defaults: { name: 'none', volume: 5 }, log: silentLogger() };
    const guarded = () => new StateFile({ ...options, keepUnusable: true });
    write({ version: 2, value: { name: 'hall', percent: 30 } });
    const file = guarded();
    await file.load();
    assert.equal(file.isUsable, false);
    assert.ok(existsSync(path));
    // An additional key removes nothing.
    write({ version: 2, value: { name: 'hall', volume: 3, mood: 1 } });
    await file.load();
    assert.deepEqual([file.isUsable, file.isWhole, file.value], [true, false, { name: 'hall', volume: 3 }]);
  });
});
