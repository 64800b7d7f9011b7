import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { commands } from '../../contract/commands.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import type { JournalEntry } from './contract.ts';
import { JournalService, type Noted } from './service.ts';

const MINUTE_MS = 60_000;
const led = (red: number): Noted => ({
  command: 'led.color',
  surface: 'http',
  caller: { id: 'owner', name: 'owner', address: '192.0.2.9' },
  params: { red, green: 0, blue: 0 },
  code: 'OK',
  ms: 1.5,
});
const pair = (address: string, name = 'nobody'): Noted => ({
  command: 'pairing.finish',
  surface: 'http',
  caller: { id: 'nobody', name, address },
  params: { name: 'x'.repeat(900) },
  code: 'INVALID_REQUEST',
  ms: 0.1,
});

let dataDir: string;
let folder: string;
let clock: FakeClock;
let now: number;
let journal: JournalService;

const make = () => new JournalService({ dataDir, clock, date: () => now, masks: {}, log: silentLogger() });

async function read(query: object = {}): Promise<JournalEntry[]> {
  const answer = await journal.read(commands['journal.read'].params.parse(query));
  return (answer as { entries: JournalEntry[] }).entries;
}

const shown = (entries: readonly JournalEntry[]) =>
  entries.map(({ command, params }) => (command === 'led.color' ? (params as { red: number }).red : command));
const files = () => readdirSync(folder).sort();
// The oldest file may go between the two questions.
const bytes = () =>
  files().reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

beforeEach(async () => {
  dataDir = temporaryFolder('journal');
  folder = join(dataDir, 'journal', 'refused');
  clock = new FakeClock();
  now = Date.UTC(2026, 4, 4, 12, 30);
  journal = make();
  await journal.start();
});
afterEach(async () => {
  await journal.stop();
  assert.equal(clock.pending, 0);
});

describe('entries of strangers', () => {
  test('should be read among the others by their time, page by page, wherever they are kept', async () => {
    const wanted: (number | string)[] = [];
    for (let i = 0; i < 40; i++) {
      now += 1_000;
      journal.note(led(i));
      journal.noteStranger(pair(`192.0.2.${i % 20}`));
      wanted.unshift('pairing.finish', i);
      // Some are on the disk, some are not.
      if (i === 19) await clock.advance(MINUTE_MS);
    }
    const paged: JournalEntry[] = [];
    for (;;) {
      const before = paged.at(-1)?.time;
      const page = await read({ limit: 7, ...(before && { before }) });
      if (page.length === 0) break;
      paged.push(...page);
    }
    assert.deepEqual(shown(paged), wanted);
    assert.deepEqual(shown(await read({ limit: 1_000 })), wanted);
    assert.ok(commands['journal.read'].result.safeParse({ entries: paged }).success);
    await journal.stop();
    journal = make();
    await journal.start();
    assert.deepEqual(await read({ limit: 1_000 }), paged);
    // Later than all of before, also where a stranger was the last one.
    now -= MINUTE_MS;
    journal.note(led(99));
    assert.deepEqual(shown(await read({ limit: 2 })), [99, 'pairing.finish']);
  });

  test('should be told once each while they are being written', async () => {
    for (let i = 0; i < 10; i++) journal.noteStranger(pair('192.0.2.1'));
    await read();
    const reading = Array.from({ length: 20 }, () => read());
    const writing = clock.advance(MINUTE_MS);
    for (const entries of await Promise.all(reading)) assert.equal(entries.length, 10);
    await writing;
    assert.equal((await read()).length, 10);
  });

  test('security: should be written once a minute, without params, and counted beyond the budget', async () => {
    for (let i = 0; i < 3_600; i++) journal.noteStranger(pair('192.0.2.1'));
    await clock.advance(MINUTE_MS - 1);
    assert.deepEqual(files(), []);
    const before = await read({ limit: 1_000 });
    assert.equal(before.length, 10);
    assert.deepEqual(before[0]?.params, {});
    await clock.advance(1);
    const [counted, ...entries] = await read({ limit: 1_000 });
    assert.deepEqual([counted?.command, counted?.params], ['journal.refused', { dropped: 3_590 }]);
    assert.deepEqual(entries, before);
    await journal.stop();
    assert.ok(bytes() > 0 && bytes() <= 11 * 300, String(bytes()));
    assert.deepEqual(readdirSync(join(dataDir, 'journal')), ['refused']);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  test('security: should have 300 bytes at most, whatever a stranger calls himself', async () => {
    const names = ['x'.repeat(5_000), '😀'.repeat(64), '\x01'.repeat(64), '"'.repeat(64), 'Hall'];
    for (const name of names) journal.noteStranger(pair(`${name}.lan:1883`, name));
    const entries = await read();
    assert.deepEqual(entries[0]?.caller, { id: 'nobody', name: 'Hall', address: 'Hall.lan:1883' });
    await journal.stop();
    const lines = readFileSync(join(folder, '00000001.ndjson'), 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, names.length);
    for (const line of lines) assert.ok(Buffer.byteLength(line) < 300, line);
  });

  test('security: should hold 1 MiB at most, and push out no entry of others', async () => {
    journal.note(led(1));
    for (let minute = 0; minute < 300; minute++) {
      now += MINUTE_MS;
      const before = bytes();
      for (let i = 0; i < 40; i++) journal.noteStranger(pair(`192.0.2.${i}`, 'x'.repeat(64)));
      await clock.advance(MINUTE_MS);
      // What a slow disk has not taken is bounded too, and would be dropped here.
      await until(() => bytes() !== before, 'the disk');
      assert.ok(bytes() <= 1024 * 1024, String(bytes()));
    }
    // The oldest goes once the disk has taken what came after it.
    await until(() => !files().includes('00000001.ndjson'), 'the end of the first file');
    const others: JournalEntry[] = [];
    for (let before: string | undefined; ; ) {
      const page = await read({ limit: 1_000, ...(before && { before }) });
      if (page.length === 0) break;
      before = page.at(-1)?.time;
      others.push(...page.filter(({ command }) => command === 'led.color'));
    }
    assert.deepEqual(shown(others), [1]);
  });

  test('should be left out where their folder is of no use, and not keep others from being written', async () => {
    await journal.stop();
    rmSync(folder, { recursive: true });
    journal = make();
    await journal.start();
    rmSync(folder, { recursive: true });
    journal.noteStranger(pair('192.0.2.1'));
    journal.note(led(1));
    await clock.advance(MINUTE_MS);
    // They are shown until the disk has refused them.
    await until(async () => !shown(await read()).includes('pairing.finish'), 'the loss');
    assert.deepEqual(shown(await read()), [1]);
  });
});
