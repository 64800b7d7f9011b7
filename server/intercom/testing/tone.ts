import { readFile } from 'node:fs/promises';
import type { Baresip } from '../../testing/sip/baresip.ts';
import { decodeG711, readWav, toneShare } from './media/g711.ts';
import type { WeriftPage } from './media/weriftPage.ts';

/** What baresip sends. */
const HERTZ = 440;
const WINDOW_SECONDS = 0.25;

/** The share of baresip's tone in what the page plays now, from 0 to 1. */
export function toneInPage(page: WeriftPage, law: 'PCMU' | 'PCMA' = 'PCMU'): number {
  const packets = page.latest.received.audio.slice(-25);
  const samples = packets.flatMap(({ payload }) => [...payload].map((byte) => decodeG711(law, byte)));
  return toneShare(samples, HERTZ, 8000);
}

/** The purest quarter of a second of what baresip heard, from 0 to 1; stop baresip first. */
export async function toneAtBaresip(baresip: Baresip): Promise<number> {
  let best = 0;
  for (const file of await baresip.recordings('dec')) {
    const { samples, rate } = readWav(await readFile(file));
    const step = rate * WINDOW_SECONDS;
    for (let at = 0; at + step <= samples.length; at += step)
      best = Math.max(best, toneShare(samples.slice(at, at + step), HERTZ, rate));
  }
  return best;
}
