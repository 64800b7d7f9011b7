import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, test } from 'node:test';
import { skipWithoutMounts } from '../../testing/mountNamespace.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { letPass } from '../../testing/waiting.ts';
import { createLogger, silentLogger } from '../log.ts';
import { StateFile } from './stateFile.ts';

interface Counter {
  count: number;
}

const schema = {
  parse(value: unknown): Counter {
    const count = (value as Counter | null)?.count;
    if (typeof count !== 'number') throw new Error('count must be a number');
    return { count };
  },
};

/** Runs that are killed; each has some dozens of writes behind it. */
const KILLS = 12;

describe('state file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = temporaryFolder('state');
    path = join(folder, 'counter.json');
  });

  const stateFile = (at = path, log = silentLogger()) =>
    new StateFile<Counter>({ path: at, schema, defaults: { count: 0 }, log });
  /** Shows whether the file was written: rename gives it another inode. */
  const inode = () => statSync(path).ino;

  test('should begin with the defaults when there is no file', async () => {
    assert.deepEqual(await stateFile().load(), { count: 0 });
    assert.deepEqual(readdirSync(folder), []);
  });

  test('should load what was saved', async () => {
    await stateFile().save({ count: 7 });
    const again = stateFile();
    assert.deepEqual(await again.load(), { count: 7 });
    assert.deepEqual(again.value, { count: 7 });
    assert.deepEqual(readdirSync(folder), ['counter.json']);
  });

  test('should keep the file from other users (mode 0600), in a folder it makes itself (0700)', async () => {
    const deep = join(folder, 'made', 'counter.json');
    await stateFile(deep).save({ count: 1 });
    assert.equal(statSync(deep).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'made')).mode & 0o777, 0o700);
  });

  for (const [what, text] of [
    ['broken JSON', '{"count":'],
    ['an empty file', ''],
    ['a value that the schema refuses', '{"count":"seven"}'],
    ['binary noise', '\0\u0001\ufffd'],
  ] as const) {
    test(`should set ${what} aside, log it, and use the defaults`, async () => {
      writeFileSync(path, text);
      const lines = new PassThrough();
      const file = stateFile(path, createLogger('info', lines));
      assert.deepEqual(await file.load(), { count: 0 });
      const names = readdirSync(folder);
      assert.equal(names.length, 1);
      assert.match(names[0] ?? '', /^counter\.json\.corrupt-\d{4}-\d\d-\d\dT/);
      assert.equal(readFileSync(join(folder, names[0] ?? ''), 'utf8'), text);
      assert.match(String(lines.read()), /state file is not usable/);
      await file.save({ count: 3 });
      assert.deepEqual(await stateFile().load(), { count: 3 });
    });
  }

  test('should set aside a folder in the place of the file', async () => {
    mkdirSync(path);
    const file = stateFile();
    assert.deepEqual(await file.load(), { count: 0 });
    await file.save({ count: 5 });
    assert.deepEqual(await stateFile().load(), { count: 5 });
  });

  test('should not write an unchanged value again', async () => {
    const file = stateFile();
    await file.save({ count: 1 });
    const before = inode();
    await file.save({ count: 1 });
    assert.equal(inode(), before);
    const again = stateFile();
    await again.load();
    await again.save({ count: 1 });
    assert.equal(inode(), before);
    await again.save({ count: 2 });
    assert.notEqual(inode(), before);
  });

  test('should write the default value when it is saved for the first time', async () => {
    const file = stateFile();
    await file.load();
    await file.save({ count: 0 });
    assert.equal(readFileSync(path, 'utf8'), '{"version":1,"value":{"count":0}}\n');
  });

  test('should share one write among concurrent saves and answer each when its value or a newer one is on disk', async () => {
    const file = stateFile();
    const seen = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        await file.save({ count: index + 1 });
        const onDisk = (JSON.parse(readFileSync(path, 'utf8')) as { value: Counter }).value;
        assert.ok(onDisk.count >= index + 1, `${onDisk.count} on disk, ${index + 1} acknowledged`);
        return inode();
      }),
    );
    assert.ok(new Set(seen).size <= 2, 'the first save writes, all others share the second write');
    assert.deepEqual(file.value, { count: 200 });
  });

  test('should write the old value again when it is saved after another one', async () => {
    const file = stateFile();
    await file.save({ count: 1 });
    await Promise.all([file.save({ count: 2 }), file.save({ count: 1 })]);
    assert.deepEqual(await stateFile().load(), { count: 1 });
  });

  test('should refuse with STORAGE_FULL and keep the value when it cannot write', async () => {
    const blocker = join(folder, 'file');
    writeFileSync(blocker, '');
    const file = stateFile(join(blocker, 'counter.json'));
    await assert.rejects(file.save({ count: 9 }), {
      code: 'STORAGE_FULL',
      message: /counter\.json.*(ENOTDIR|EEXIST)/,
    });
    assert.deepEqual(file.value, { count: 0 });
    rmSync(blocker);
    await file.save({ count: 10 });
    assert.deepEqual(file.value, { count: 10 });
  });

  test('should keep the old file when the disk is full', {
    skip: skipWithoutMounts,
  }, () => {
    const code = `
      import assert from 'node:assert/strict';
      import { writeFileSync, rmSync, readdirSync } from 'node:fs';
      import { StateFile } from '${new URL('./stateFile.ts', import.meta.url).href}';
      import { silentLogger } from '${new URL('../log.ts', import.meta.url).href}';
      const schema = { parse: (value) => value };
      const make = () => new StateFile({ path: ${JSON.stringify(path)}, schema, defaults: '', log: silentLogger() });
      const file = make();
      await file.save('old');
      await assert.rejects(file.save('x'.repeat(200_000)), { code: 'STORAGE_FULL', message: /ENOSPC/ });
      assert.equal(file.value, 'old');
      assert.equal(await make().load(), 'old');
      assert.deepEqual(readdirSync(${JSON.stringify(folder)}), ['counter.json']);
      await file.save('new');
      assert.equal(await make().load(), 'new');`;
    const script = 'mount -t tmpfs -o size=64k none "$1" && exec "$2" --input-type=module -e "$3"';
    const child = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', folder, process.execPath, code]);
    assert.equal(child.status, 0, child.stderr.toString());
  });

  test('should hold an acknowledged value or a newer one after each kill -9 in the middle of writes', async () => {
    const code = `
      import { StateFile } from '${new URL('./stateFile.ts', import.meta.url).href}';
      import { silentLogger } from '${new URL('../log.ts', import.meta.url).href}';
      import { writeSync } from 'node:fs';
      const file = new StateFile({ path: ${JSON.stringify(path)}, schema: { parse: (value) => value },
        defaults: { count: 0 }, log: silentLogger() });
      const { count } = await file.load();
      for (let next = count + 1; ; next++) {
        await file.save({ count: next });
        writeSync(1, next + '\\n');
      }`;
    let acknowledged = 0;
    for (let round = 0; round < KILLS; round++) {
      const before = acknowledged;
      const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = new Promise((resolve) => child.once('close', resolve));
      const lines = createInterface({ input: child.stdout });
      const first = new Promise((resolve) => lines.once('line', resolve));
      lines.on('line', (line) => {
        acknowledged = Number(line);
      });
      await first;
      await letPass(20 + Math.random() * 60);
      child.kill('SIGKILL');
      await ended;
      const file = stateFile();
      const { count } = await file.load();
      assert.ok(acknowledged > before, `no write in run ${round}`);
      assert.ok(count >= acknowledged, `${count} on disk after ${acknowledged} was acknowledged`);
      assert.ok(count <= acknowledged + 1, `${count} on disk, but only ${acknowledged} was answered`);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.includes('corrupt')),
        [],
      );
    }
  });
});
