import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { askKiosk, checkAnswer } from '../../platform/kioskJobs.ts';
import { DECODED, decodeHere, notPlayable } from './decoderProcess.ts';
import type { Pcm, SoundDecoder } from './driver.ts';
import { patiently } from './program.ts';
import { findSound, type SoundInFile } from './soundKinds.ts';

const READ_BYTES = 65_536;
/** How long the starter may take: its own start, and what it lets the decoder have for the first samples. */
const ANSWER_MS = 20_000;

interface DecoderIdentity {
  /** The socket of the starter of the kiosk, where there is one. */
  readonly starter?: string | undefined;
  /** The kiosk's user, where we may become it. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * Decodes with GStreamer, in a process for each sound: as the kiosk's user, by the starter or by ourselves, so that a
 * hole in a decoder is not the service. On a desk without either it is our own user's.
 */
export class GstreamerDecoder implements SoundDecoder {
  readonly #identity: DecoderIdentity;

  constructor(identity: DecoderIdentity = {}) {
    this.#identity = identity;
  }

  async decode(file: FileHandle, signal: AbortSignal): Promise<Pcm> {
    const sound = await findSound(file);
    if (sound === undefined) throw notPlayable();
    const { starter, user } = this.#identity;
    if (starter !== undefined) return decodeAsKiosk(starter, sound, bytesOf(file, sound), signal);
    const feed = (input: NodeJS.WritableStream) =>
      // A decoder that has enough reads no further.
      void pipeline(bytesOf(file, sound), input).catch(() => undefined);
    return decodeHere(sound.kind, feed, { user, signal });
  }
}

/** The sound's bytes. The file stays open: it may be decoded again. */
async function* bytesOf(file: FileHandle, { start, size }: SoundInFile): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; ) {
    const wanted = Math.min(left, READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, start + size - left);
    if (bytesRead === 0) return;
    left -= bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The starter answers when the first samples come; they follow on the connection, whose end also ends the decoder. */
async function decodeAsKiosk(
  starter: string,
  { kind, size }: SoundInFile,
  bytes: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<Pcm> {
  const options = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    body: Readable.from(bytes, { objectMode: false }),
  };
  const { answer, socket } = await askKiosk(starter, { job: 'decode', kind, size }, options);
  const hangUp = () => socket.destroy();
  socket.on('error', () => undefined);
  try {
    checkAnswer(answer);
    signal.throwIfAborted();
  } catch (error) {
    hangUp();
    throw error;
  }
  signal.addEventListener('abort', hangUp, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', hangUp));
  return { format: DECODED, chunks: patiently(socket, hangUp) };
}
