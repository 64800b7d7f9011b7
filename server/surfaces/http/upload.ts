import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Upload } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';

export interface UploadOptions {
  /** Connections that receive a file: the time limit of whole requests does not apply to them. */
  readonly receiving: WeakSet<Socket>;
  /** Longest time without a byte, in milliseconds. */
  readonly silenceMs: number;
  readonly clock: Clock;
}

/** Time over which a sender's speed is measured, in milliseconds, and the bytes that must arrive in it (1 kB/s). */
const MINUTE_MS = 60_000;
const BYTES_A_MINUTE = 60_000;

/** How long a refused sender may go on sending, so that it gets to read the reason, in milliseconds. */
const LINGER_MS = 2_000;

/** Ends the reception: further bytes of the file are thrown away, and the connection is closed when they do not end. */
export function endUpload({ raw }: FastifyRequest, { receiving }: UploadOptions): void {
  if (raw.complete) {
    receiving.delete(raw.socket);
    return;
  }
  raw.resume();
  const timer = setTimeout(() => {
    if (!raw.complete) raw.socket.destroy();
  }, LINGER_MS);
  raw.once('close', () => clearTimeout(timer));
}

/**
 * The body of a request as a file that is arriving. Reading it throws TOO_LARGE beyond the limit and REQUEST_TIMEOUT
 * when no byte came for too long, less than 1 kB/s came over a minute, or the sender is gone. Time counts only while
 * the reader waits for bytes.
 * @throws FaceplateError INVALID_REQUEST without a body, TOO_LARGE when the announced size is over the limit
 */
export function receiveUpload(
  request: FastifyRequest,
  limitBytes: number,
  { receiving, silenceMs, clock }: UploadOptions,
): Upload {
  const { raw } = request;
  const announced = raw.headers['content-length'];
  if (announced === '0' || (announced === undefined && raw.headers['transfer-encoding'] === undefined))
    throw new FaceplateError('INVALID_REQUEST', 'The body must be the file.');
  const size = announced === undefined ? undefined : Number(announced);
  const tooLarge = () =>
    new FaceplateError('TOO_LARGE', `The file is larger than ${limitBytes / 1024 ** 2} MiB.`);
  if (size !== undefined && size > limitBytes) throw tooLarge();
  const { socket } = raw;
  receiving.add(socket);
  return { size, bytes: read() };

  async function* read(): AsyncGenerator<Uint8Array> {
    let total = 0;
    const chunks = raw.iterator({ destroyOnReturn: false });
    // Of the current minute. It is checked when bytes arrive: a sender without bytes has its own limit.
    let waitedMs = 0;
    let came = 0;
    for (;;) {
      const begun = clock.now();
      const chunk = await next(chunks);
      if (chunk === undefined) return;
      waitedMs += clock.now() - begun;
      total += chunk.length;
      came += chunk.length;
      if (total > limitBytes) throw tooLarge();
      if (waitedMs >= MINUTE_MS) {
        if (came < BYTES_A_MINUTE) throw tooSlow();
        waitedMs = came = 0;
      }
      yield chunk;
    }
  }

  async function next(chunks: NodeJS.AsyncIterator<Buffer>): Promise<Buffer | undefined> {
    const { promise: silence, reject } = Promise.withResolvers<never>();
    const cancel = clock.after(silenceMs, () =>
      reject(new FaceplateError('REQUEST_TIMEOUT', 'The upload stopped: no byte came for too long.')),
    );
    try {
      const { done, value } = await Promise.race([chunks.next(), silence]);
      return done ? undefined : value;
    } catch (error) {
      if (error instanceof FaceplateError) throw error;
      throw new FaceplateError('REQUEST_TIMEOUT', 'The upload ended before the file was whole.', {
        cause: error,
      });
    } finally {
      cancel();
    }
  }
}

function tooSlow(): FaceplateError {
  return new FaceplateError(
    'REQUEST_TIMEOUT',
    'The upload is too slow: less than 1 kB/s came over a minute.',
  );
}
