import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { commands } from '../../contract/commands.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { skipWithoutMounts } from '../../testing/mountNamespace.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import type { JournalEntry } from './contract.ts';
import { JournalService, type Noted, WRITE_AFTER_MS } from './service.ts';

const AT = Date.UTC(2026, 4, 4, 12, 30);
const MIB = 1024 * 1024;
const CALLER = { id: 'owner', name: 'owner', address: '192.168.1.9' };
const led = (red: number): Noted => ({
  command: 'led.color',
  surface: 'http',
  caller: CALLER,
  params: { red, green: 0, blue: 0 },
  code: 'OK',
  ms: 1.5,
});

let dataDir: string;
let folder: string;
let clock: FakeClock;
let now: number;
let journal: JournalService;

function make(): JournalService {
  return new JournalService({ dataDir, clock, date: () => now, masks: {}, log: silentLogger() });
}

async function read(query: object = {}, of = journal): Promise<JournalEntry[]> {
  const answer = await of.read(commands['journal.read'].params.parse(query));
  return (answer as { entries: JournalEntry[] }).entries;
}

const reds = (entries: readonly JournalEntry[]) =>
  entries.map(({ params }) => (params as { red: number }).red);
const filesOf = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort();

beforeEach(async () => {
  dataDir = temporaryFolder('journal');
  folder = join(dataDir, 'journal');
  clock = new FakeClock();
  now = AT;
  journal = make();
  await journal.start();
});

afterEach(async () => {
  await journal.stop();
});

describe('the journal', () => {
  test('should answer what was noted, newest first, as the contract says', async () => {
    journal.note(led(1));
    now += 5;
    journal.note({ ...led(2), code: 'FORBIDDEN' });
    const entries = await read();
    assert.deepEqual(entries, [
      { time: '2026-05-04T12:30:00.005000Z', ...led(2), code: 'FORBIDDEN' },
      { time: '2026-05-04T12:30:00.000000Z', ...led(1) },
    ]);
    assert.ok(commands['journal.read'].result.safeParse({ entries }).success);
  });

  test('should give 100 entries unless said, 1 to 1000, also as text of a query', async () => {
    const { params } = commands['journal.read'];
    for (let red = 0; red < 150; red++) journal.note(led(red));
    assert.equal((await read()).length, 100);
    assert.equal((await read({ limit: '7' })).length, 7);
    assert.equal((await read({ limit: 1_000 })).length, 150);
    for (const limit of [0, 1_001, '0', '1001', 'x', '', 1.5])
      assert.ok(!params.safeParse({ limit }).success, String(limit));
    for (const before of ['yesterday', '', '2026-05-04T12:30:00+02:00'])
      assert.ok(!params.safeParse({ before }).success, before);
  });

  test('should give each entry a time of its own, so that `before` neither repeats nor skips one', async () => {
    for (let red = 0; red < 2_500; red++) journal.note(led(red));
    const found: JournalEntry[] = [];
    for (;;) {
      const before = found.at(-1)?.time;
      const page = await read({ limit: 600, ...(before && { before }) });
      if (page.length === 0) break;
      found.push(...page);
    }
    assert.deepEqual(
      reds(found),
      Array.from({ length: 2_500 }, (_, i) => 2_499 - i),
    );
    assert.equal(new Set(found.map(({ time }) => time)).size, 2_500);
    // A time as others write it.
    assert.deepEqual(reds(await read({ before: '2026-05-04T12:30:00.000002Z' })), [1, 0]);
    assert.deepEqual(reds(await read({ before: '2026-05-04T12:30:00Z' })), []);
    assert.equal((await read({ before: '2026-05-04T12:30:01Z', limit: 1_000 })).length, 1_000);
  });

  test('should answer one entry in each line where that is asked for', async () => {
    journal.note(led(1));
    journal.note(led(2));
    const params = commands['journal.read'].params.parse({ format: 'ndjson' });
    const answer = (await journal.read(params)) as { type: string; body: string };
    assert.equal(answer.type, 'application/x-ndjson; charset=utf-8');
    const lines = answer.body.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      await read(),
    );
  });

  test('should write once for many entries, half a second after the first', async () => {
    for (let red = 0; red < 10; red++) journal.note(led(red));
    assert.equal(clock.pending, 1);
    assert.deepEqual(filesOf(), []);
    await clock.advance(WRITE_AFTER_MS);
    await journal.stop();
    assert.equal(readFileSync(join(folder, '00000001.ndjson'), 'utf8').split('\n').length, 11);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, '00000001.ndjson')).mode & 0o777, 0o600);
  });

  test('should go on after a restart, with later times also when the clock was set back', async () => {
    journal.note(led(1));
    await journal.stop();
    now -= 3_600_000;
    journal = make();
    await journal.start();
    journal.note(led(2));
    assert.deepEqual(reds(await read()), [2, 1]);
    const [newer, older] = await read();
    assert.ok(newer!.time > older!.time);
  });

  test('should cut off half a line that a kill left, and read over a damaged one', async () => {
    journal.note(led(1));
    journal.note(led(2));
    await journal.stop();
    const path = join(folder, '00000001.ndjson');
    truncateSync(path, statSync(path).size - 20);
    journal = make();
    await journal.start();
    now += 1;
    journal.note(led(3));
    assert.deepEqual(reds(await read()), [3, 1]);
    await journal.stop();
    appendFileSync(path, '\0\0\0 not JSON\n');
    journal = make();
    await journal.start();
    journal.note(led(4));
    assert.deepEqual(reds(await read()), [4, 3, 1]);
  });

  test('should keep the last 10 MiB, and no more than 11', async () => {
    const text = 'x'.repeat(3_000);
    for (let i = 0; i < 5_000; i++) {
      journal.note({ ...led(i), params: { red: i, text }, command: 'test.fact' });
      if (i % 300 === 0) await read({ limit: 1 });
    }
    await journal.stop();
    const bytes = filesOf().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    assert.ok(bytes >= 10 * MIB && bytes <= 11 * MIB, String(bytes));
    journal = make();
    await journal.start();
    assert.deepEqual(reds(await read({ limit: 2 })), [4_999, 4_998]);
    // What is asked for stands in the last file: the others are not opened.
    for (const name of filesOf().slice(0, -1)) rmSync(join(folder, name));
    assert.equal((await read({ limit: 100 })).length, 100);
  });

  test('should lose at most the last second by kill -9', async () => {
    const code = `
      import { JournalService } from '${new URL('./service.ts', import.meta.url).href}';
      import { systemClock } from '${new URL('../../platform/clock.ts', import.meta.url).href}';
      import { silentLogger } from '${new URL('../../platform/log.ts', import.meta.url).href}';
      import { writeSync } from 'node:fs';
      const journal = new JournalService({ dataDir: process.argv[1], clock: systemClock, date: Date.now, masks: {},
        log: silentLogger() });
      await journal.start();
      let red = 0;
      setInterval(() => {
        journal.note({ command: 'led.color', surface: 'http', caller: { id: 'owner', name: 'owner', address: null },
          params: { red: red++ }, code: 'OK', ms: 0 });
        writeSync(1, Date.now() + '\\n');
      }, 5);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, dataDir]);
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split('\n').length > 500) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const times = text.trim().split('\n').map(Number);
    const killedAt = times.at(-1)!;
    await journal.stop();
    journal = make();
    await journal.start();
    const kept = (await read({ limit: 1_000 })).length;
    const old = times.filter((time) => time < killedAt - 1_000).length;
    assert.ok(old > 100 && kept >= old, `${kept} of ${old}`);
  });

  test('should go on where the disk is full, and tell the gap once there is room again', {
    skip: skipWithoutMounts,
  }, async () => {
    const code = `
      import assert from 'node:assert/strict';
      import { rmSync, writeFileSync } from 'node:fs';
      import { JournalService } from '${new URL('./service.ts', import.meta.url).href}';
      import { FakeClock } from '${new URL('../../testing/fakeClock.ts', import.meta.url).href}';
      import { silentLogger } from '${new URL('../../platform/log.ts', import.meta.url).href}';
      const [dataDir] = process.argv.slice(1);
      let now = ${AT};
      const journal = new JournalService({ dataDir, clock: new FakeClock(), date: () => now++, masks: {},
        log: silentLogger() });
      await journal.start();
      const note = (red) => journal.note({ command: 'led.color', surface: 'http', caller: {}, params: { red },
        code: 'OK', ms: 0 });
      const read = () => journal.read({ limit: 1000, format: 'json' });
      note(1);
      await read();
      try { writeFileSync(dataDir + '/filler', Buffer.alloc(1024 * 1024)); } catch {}
      for (let i = 0; i < 300; i++) note(2);
      assert.deepEqual((await read()).entries.map(({ params }) => params), [{ red: 1 }]);
      rmSync(dataDir + '/filler');
      note(3);
      const { entries } = await read();
      assert.deepEqual(entries.map(({ command }) => command), ['led.color', 'journal.gap', 'led.color']);
      const [last, gap, first] = entries;
      assert.equal(gap.params.lost, 300);
      assert.equal(gap.code, 'STORAGE_FULL');
      assert.ok(first.time < gap.time && gap.time < gap.params.until && gap.params.until < last.time);
      note(4);
      assert.equal((await read()).entries.length, 4);`;
    const script = 'mount -t tmpfs -o size=64k none "$1" && exec "$2" --input-type=module -e "$3" "$1"';
    const child = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', dataDir, process.execPath, code]);
    assert.equal(child.status, 0, child.stderr.toString());
  });

  test('should hold 1 MiB while the disk is slow, and count what comes beyond', async () => {
    const text = 'x'.repeat(3_000);
    for (let i = 0; i < 500; i++) journal.note({ ...led(i), params: { red: i, text }, command: 'test.fact' });
    const entries = await read({ limit: 1_000 });
    const gap = entries[0]!;
    assert.equal(gap.command, 'journal.gap');
    assert.equal((gap.params as { lost: number }).lost + entries.length - 1, 500);
    assert.ok(entries.length > 300 && entries.length < 350, String(entries.length));
    assert.ok(gap.time > entries[1]!.time);
  });

  test('should answer HARDWARE_ERROR when the disk cannot be read', async () => {
    journal.note(led(1));
    await read();
    rmSync(join(folder, '00000001.ndjson'));
    mkdirSync(join(folder, '00000001.ndjson'));
    await assert.rejects(read(), { code: 'HARDWARE_ERROR', message: /EISDIR/ });
  });

  test('security: should give others the params of a command without secrets', () => {
    const wifi = { interface: 'wlan0', ssid: 'House', password: 'hunter2' };
    const shown = journal.readable('network.join', wifi);
    assert.doesNotMatch(JSON.stringify(shown), /hunter2/);
    assert.match(JSON.stringify(shown), /House/);
  });

  test('should let the panel start where its folder cannot be used', async () => {
    await journal.stop();
    rmSync(folder, { recursive: true });
    appendFileSync(folder, 'a file');
    journal = make();
    await journal.start();
    journal.note(led(1));
    assert.deepEqual(await read(), []);
  });
});
