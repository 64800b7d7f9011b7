import { setTimeout as sleep } from 'node:timers/promises';
import { limits, type Measure, type Sample } from './growth.ts';
import { reload } from './pageWork.ts';
import type { SoakedPanel } from './soakedPanel.ts';

/** After the last work a panel has this long to let go, in milliseconds: ends of connections and caches have their own times. */
const LETS_GO_MS = 45_000;
const REST_MS = 20_000;

/**
 * What work may leave behind once it has ended; a leak leaves something of each of hundreds. Memory is not compared so: caches and
 * compiled code grow with what was done.
 */
const MAY_STAY: Partial<Record<Measure | 'streams', number>> = {
  streams: 0,
  serviceFiles: 6,
  sockets: 4,
  resources: 8,
  processes: 2,
};

/** What a panel takes while nobody works it, with its page just loaded. */
export interface Rest extends Omit<Sample, 'hours'> {
  readonly streams: number;
}

/** What stayed behind of all the work. */
export interface Left {
  readonly label: string;
  readonly before: number;
  readonly after: number;
  readonly atMost: number;
  readonly isTooMuch: boolean;
}

/** Loads the page anew, and measures at rest. */
export async function restOf(soaked: SoakedPanel): Promise<Rest> {
  await reload(soaked.panel, 'rest');
  await sleep(REST_MS);
  const { sessions } = await soaked.panel.call('stream.sessions');
  return { ...(await soaked.measure()), streams: sessions.length };
}

/** The same after the work, as soon as nothing of it is left, or at the end of the time that a panel has to let go. */
export async function restAfter(soaked: SoakedPanel, before: Rest): Promise<Rest> {
  const end = performance.now() + LETS_GO_MS;
  for (;;) {
    const after = await restOf(soaked);
    const isFree = !leftOf(before, after).some(({ isTooMuch }) => isTooMuch);
    if (isFree || performance.now() > end) return after;
  }
}

/** Compares two rests. What is not known is left out. */
export function leftOf(before: Rest, after: Rest): Left[] {
  return Object.entries(MAY_STAY).flatMap(([key, atMost]) => {
    const measure = key as keyof typeof MAY_STAY;
    const [was, is] = [before[measure], after[measure]];
    if (was === null || is === null) return [];
    const label = limits.find((limit) => limit.measure === measure)?.label ?? measure;
    return [{ label, before: was, after: is, atMost, isTooMuch: is - was > atMost }];
  });
}

/** One line of the verdict. */
export function leftText({ label, before, after, atMost, isTooMuch }: Left): string {
  return `  ${label.padEnd(36)} ${before} to ${after}, at most +${atMost}: ${isTooMuch ? 'TOO MUCH' : 'ok'}`;
}
