import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { FaceplateError } from '../../contract/errors.ts';
import { decodeHere } from '../../parts/sound/gstreamer.ts';
import type { SoundKind } from '../../parts/sound/soundKinds.ts';
import type { KioskJob } from '../../platform/kioskJobs.ts';
import type { JobOptions } from './jobRequest.ts';

/** Bytes of samples of one sound, a little more than the service plays (30 minutes). */
const MOST_BYTES = 31 * 60 * 48_000 * 4;
/** Longest wait for a service that has everything, in milliseconds. */
const HANG_UP_MS = 10_000;

/**
 * Decodes the sound that comes on the connection, as ourselves, and sends the samples back. It ends when the service
 * hangs up.
 */
export async function decodeForService(
  { kind, size }: Extract<KioskJob, { job: 'decode' }>,
  { socket, answer }: Pick<JobOptions, 'socket' | 'answer'>,
): Promise<void> {
  const line = new Socket({ fd: socket, allowHalfOpen: true });
  const gone = new AbortController();
  const hungUp = new Promise<void>((resolve) => {
    gone.signal.addEventListener('abort', () => resolve());
  });
  for (const end of ['end', 'error', 'close']) line.once(end, () => gone.abort());
  line.on('error', () => undefined);
  try {
    const feed = (input: Writable) => handOver(line, size, input);
    const { chunks } = await decodeHere(kind as SoundKind, feed, { signal: gone.signal });
    answer({});
    let sent = 0;
    for await (const bytes of chunks) {
      if (!line.write(bytes)) await once(line, 'drain', { signal: gone.signal });
      sent += bytes.length;
      if (sent >= MOST_BYTES) break;
    }
    line.end();
  } catch (error) {
    if (gone.signal.aborted) return;
    if (!(error instanceof FaceplateError)) throw error;
    answer({ code: error.code, error: error.message });
  }
  // It closes the connection when it has read all of it. Before that, a sound that is still on its way would break it.
  await Promise.race([hungUp, pause(HANG_UP_MS)]);
}

/** Gives the sound to the decoder at its pace. What is left when the decoder has ended is read, too: it is on its way. */
function handOver(line: Socket, size: number, input: Writable): void {
  let left = size;
  const goOn = () => void line.resume();
  input.on('drain', goOn).once('close', goOn);
  line.on('data', (bytes: Buffer) => {
    const ours = bytes.subarray(0, left);
    left -= ours.length;
    if (!input.writable) return;
    if (!input.write(ours) && left > 0) line.pause();
    if (left === 0) input.end();
  });
}
