import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import type { Bench } from '../bench.ts';

/** What is left of a start is written by then. */
const SETTLE_MS = 60_000;
/** The page's kernel pages are written back every 30 s, and health is published every 30 s: several of both. */
const ROUND_MS = 150_000;
const HOUR_MS = 3_600_000;

export const writesBench: Bench = {
  name: 'writes',
  isLong: true,
  about: `a panel that nobody uses: what it writes to the disk in ${ROUND_MS / 1000} s, as an hour of it`,
  rows: [
    { key: 'service', label: 'written by the service', unit: 'MB' },
    { key: 'browser', label: 'written by the browser', unit: 'MB' },
    { key: 'together', label: 'together', unit: 'MB', goal: { atMost: 5 } },
  ],
  ratios: [],
  async setUp() {
    const service = new FaceplateProcess({ kiosk: true });
    await service.start();
    await sleep(SETTLE_MS);
    return {
      async round() {
        const startedAt = performance.now();
        const pids = () => service.descendants.map(({ pid }) => pid);
        const before = new Map([service.pid!, ...pids()].map((pid) => [pid, writtenBy(pid)]));
        await sleep(ROUND_MS);
        const anHour = HOUR_MS / (performance.now() - startedAt) / 1e6;
        // A helper that began meanwhile counts from its start; one that ended does not count.
        const since = (pid: number) => writtenBy(pid) - (before.get(pid) ?? 0);
        const browser = pids().reduce((sum, pid) => sum + since(pid), 0) * anHour;
        const own = since(service.pid!) * anHour;
        return { service: own, browser, together: own + browser };
      },
      tearDown: async () => void (await service.stop()),
    };
  },
};

/** Bytes that a process has sent to the disk (proc_pid_io(5)): without what was taken back before it got there. */
function writtenBy(pid: number): number {
  try {
    const io = readFileSync(`/proc/${pid}/io`, 'utf8');
    const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1] ?? 0);
    return of('write_bytes') - of('cancelled_write_bytes');
  } catch {
    return 0;
  }
}
