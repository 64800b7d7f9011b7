import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JournalService } from '../../server/parts/journal/service.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { silentLogger } from '../../server/platform/log.ts';
import { type Bench, median } from './bench.ts';

/** Of about 230 bytes each: more than 10 MiB. */
const ENTRIES = 60_000;
/** Entries that are noted at once, fewer than may wait for the disk. */
const AT_ONCE = 2_000;
const READS = 21;

export const journalBench: Bench = {
  name: 'journal',
  about: 'a journal of 10 MiB on disk, read from its end; the cost of one entry in the call that it is about',
  rows: [
    { key: 'newest', label: 'limit=100', unit: 'ms', goal: { atMost: 20 } },
    { key: 'before', label: 'limit=100 before the middle', unit: 'ms', goal: { atMost: 20 } },
    { key: 'note', label: 'one entry', unit: 'us' },
  ],
  ratios: [],
  async setUp() {
    const dataDir = await mkdtemp(join(tmpdir(), 'faceplate-bench-'));
    const journal = new JournalService({
      dataDir,
      clock: systemClock,
      date: Date.now,
      masks: {},
      log: silentLogger(),
    });
    await journal.start();
    let middle: string | undefined;
    const read = async (before?: string): Promise<{ time: string }[]> => {
      const answer = await journal.read({ limit: 100, format: 'json', before });
      return (answer as { entries: { time: string }[] }).entries;
    };
    const note = (red: number): void =>
      journal.note({
        command: 'led.color',
        surface: 'http',
        caller: { id: 'owner', name: 'owner', address: '192.168.1.20' },
        params: { red: red % 256, green: 0, blue: 0 },
        code: 'OK',
        ms: 0.4,
      });
    for (let i = 0; i < ENTRIES; i++) {
      note(i);
      if (i % AT_ONCE === 0) await read();
      if (i === ENTRIES / 2) middle = (await read())[0]?.time;
    }
    const timed = async (before?: string): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < READS; i++) {
        const startedAt = performance.now();
        if ((await read(before)).length !== 100) throw new Error('The journal is too short.');
        times.push(performance.now() - startedAt);
      }
      return median(times);
    };
    return {
      async round() {
        const startedAt = performance.now();
        for (let i = 0; i < AT_ONCE; i++) note(i);
        const noted = ((performance.now() - startedAt) / AT_ONCE) * 1_000;
        await read();
        return { newest: await timed(), before: await timed(middle), note: noted };
      },
      async tearDown() {
        await journal.stop();
        await rm(dataDir, { recursive: true });
      },
    };
  },
};
