import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { MAX_LINE_BYTES, RecordedJournal, ReplayError } from './recordedJournal.ts';

let folder: string;
before(async () => {
  folder = temporaryFolder('replay');
});

/** An entry of the nth second. */
function entry(n: number, more: Record<string, unknown> = {}): string {
  const time = `${new Date(Date.UTC(2026, 4, 4) + n * 1_000).toISOString().slice(0, -1)}000Z`;
  const caller = { id: 'owner', name: 'owner', address: null };
  return JSON.stringify({
    time,
    command: `nth.${n}`,
    surface: 'http',
    caller,
    params: {},
    code: 'OK',
    ms: 0,
    ...more,
  });
}

async function fileOf(content: string | Buffer): Promise<string> {
  const path = join(folder, 'journal.ndjson');
  await writeFile(path, content);
  return path;
}

/** Each line as `<number> <command or trouble>`. */
async function read(content: string | Buffer): Promise<string[]> {
  return readFile(await fileOf(content));
}

async function readFile(path: string): Promise<string[]> {
  const journal = await RecordedJournal.open(path);
  const found: string[] = [];
  for await (const { line, entry, trouble } of journal.read())
    found.push(`${line} ${entry?.command ?? trouble}`);
  await journal.close();
  return found;
}

describe('journal in a file', () => {
  test('should be read oldest first, as the files of a panel and as the API gives it', async () => {
    const three = [entry(1), entry(2), entry(3)];
    assert.deepEqual(await read(`${three.join('\n')}\n`), ['1 nth.1', '2 nth.2', '3 nth.3']);
    assert.deepEqual(await read(`${three.toReversed().join('\n')}\n`), ['3 nth.1', '2 nth.2', '1 nth.3']);
    assert.deepEqual(await read(three.toReversed().join('\n')), ['3 nth.1', '2 nth.2', '1 nth.3']);
    assert.deepEqual(await read(three.join('\r\n')), ['1 nth.1', '2 nth.2', '3 nth.3']);
  });

  test('should know the order of entries that differ in microseconds', async () => {
    const at = (us: string) => entry(0, { time: `2026-05-04T12:30:00.000${us}Z`, command: us });
    assert.deepEqual(await read(`${at('002')}\n${at('001')}\n`), ['2 001', '1 002']);
  });

  test('should keep the order where a few times are damaged', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => entry(i));
    lines[4] = entry(4, { time: '1999-01-01T00:00:00.000000Z' });
    const found = await read(lines.join('\n'));
    assert.deepEqual(
      found,
      lines.map((_, i) => `${i + 1} nth.${i}`),
    );
  });

  test('should give the same lines from both ends, also where they cross the pieces that are read', async () => {
    const lines = Array.from({ length: 400 }, (_, i) =>
      entry(i, { params: { text: 'é'.repeat((i * 37) % 2_000) } }),
    );
    lines.splice(100, 0, '', 'broken', '   ');
    const forwards = await read(`${lines.join('\n')}\n`);
    assert.equal(forwards.length, 401);
    const backwards = await read(`${lines.toReversed().join('\n')}\n`);
    const last = lines.length + 1;
    assert.deepEqual(
      backwards,
      forwards.map((line) => line.replace(/^\d+/, (number) => String(last - Number(number)))),
    );
  });

  test('should go on after damage of any kind, and name its lines', async () => {
    const lines = [
      entry(1),
      'not JSON',
      '"a text"',
      'null',
      '[]',
      '{}',
      '{"time":"yesterday","command":"led.on","code":"OK"}',
      '{"time":"2026-13-45T99:00:00Z","command":"led.on","code":"OK"}',
      '{"time":"2026-05-04T12:30:00Z","command":7,"code":"OK"}',
      '{"time":"2026-05-04T12:30:00Z","command":"led.on"}',
      entry(2).replace('{}', `${'['.repeat(30_000)}${']'.repeat(30_000)}`),
      entry(3, { caller: null, ms: 'long', later: { field: true } }),
      'x'.repeat(MAX_LINE_BYTES + 1),
      entry(4).slice(0, 60),
    ];
    const found = await read(lines.join('\n'));
    assert.deepEqual(found.slice(0, 2), ['1 nth.1', '2 no entry']);
    assert.deepEqual(found.slice(-4), ['11 no entry', '12 nth.3', '13 too long', '14 no entry']);
    assert.equal(found.filter((line) => line.endsWith('no entry')).length, 11);
  });

  test('should read bytes of any kind', async () => {
    const noise = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7_919) % 256));
    const found = await read(
      Buffer.concat([Buffer.from(`${entry(1)}\n`), noise, Buffer.from(`\n${entry(2)}\n`)]),
    );
    assert.equal(found[0], '1 nth.1');
    assert.match(found.at(-1)!, / nth\.2$/);
    assert.ok(found.slice(1, -1).every((line) => /no entry|too long/.test(line)));
  });

  test('should hold little of a line of 100 MB', async () => {
    const path = join(folder, 'long.ndjson');
    const file = createWriteStream(path);
    file.write(`${entry(1)}\n`);
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 100; i++) file.write(piece);
    file.end(`\n${entry(2)}\n`);
    await finished(file);
    const code = `
      import { RecordedJournal } from '${new URL('./recordedJournal.ts', import.meta.url).href}';
      const journal = await RecordedJournal.open(process.argv[1]);
      const before = process.memoryUsage().rss;
      const lines = [];
      for await (const { line, entry, trouble } of journal.read()) lines.push(entry ? 'entry' : trouble);
      await journal.close();
      console.log(JSON.stringify({ lines, grown: process.memoryUsage().rss - before }));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code, path], {
      encoding: 'utf8',
    });
    const { lines, grown } = JSON.parse(stdout || stderr) as { lines: string[]; grown: number };
    assert.deepEqual(lines, ['entry', 'too long', 'entry']);
    assert.ok(grown < 50e6, `${grown} bytes`);
    await rm(path);
  });

  test('should not follow a journal that grows meanwhile: it may be our own', async () => {
    const path = await fileOf(`${entry(1)}\n${entry(2)}\n`);
    const journal = await RecordedJournal.open(path);
    const found: string[] = [];
    for await (const { entry: read } of journal.read()) {
      found.push(read!.command);
      await appendFile(path, `${entry(3)}\n`);
      assert.ok(found.length < 10);
    }
    await journal.close();
    assert.deepEqual(found, ['nth.1', 'nth.2']);
  });

  test('should say in a sentence why there is nothing to play', async () => {
    const refused = async (path: string, words: RegExp) =>
      assert.rejects(
        RecordedJournal.open(path),
        (error) => error instanceof ReplayError && words.test(error.message),
      );
    await refused(join(folder, 'none.ndjson'), /^There is no file .*none\.ndjson\.$/);
    await refused(folder, /is a folder.*cat .*\*\.ndjson/);
    await refused('/dev/zero', /is no file/);
    await refused(await fileOf(''), /is empty/);
    await refused(await fileOf('\n\n'), /holds no entry.*format=ndjson/);
    await refused(await fileOf('{"entries":[]}'), /holds no entry/);
  });
});
