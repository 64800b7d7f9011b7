import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Upload } from '../contract/command.ts';
import { FaceplateError } from '../contract/errors.ts';

export interface UploadOptions {
  /** Connections on which a file is arriving: the time limit of whole requests is not for them. */
  readonly receiving: WeakSet<Socket>;
  /** Longest time without a byte, in milliseconds. */
  readonly silenceMs: number;
}

/** How long a sender that is refused may go on sending, so that it comes to read why, in milliseconds. */
const LINGER_MS = 2_000;

/** Ends the reception: what still arrives of the file is thrown away, and the connection closed when that does not end. */
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
 * The body of a request as a file that arrives. Reading it throws TOO_LARGE beyond the limit and REQUEST_TIMEOUT when no
 * byte came for too long or the sender is gone. Time counts only while the reader waits for bytes.
 * @throws FaceplateError INVALID_REQUEST without a body, TOO_LARGE when the announced size is over the limit
 */
export function receiveUpload(
  request: FastifyRequest,
  limitBytes: number,
  { receiving, silenceMs }: UploadOptions,
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
    for (;;) {
      const chunk = await next(chunks);
      if (chunk === undefined) return;
      total += chunk.length;
      if (total > limitBytes) throw tooLarge();
      yield chunk;
    }
  }

  async function next(chunks: NodeJS.AsyncIterator<Buffer>): Promise<Buffer | undefined> {
    const { promise: silence, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new FaceplateError('REQUEST_TIMEOUT', 'The upload stopped: no byte came for too long.'));
    }, silenceMs);
    try {
      const { done, value } = await Promise.race([chunks.next(), silence]);
      return done ? undefined : value;
    } catch (error) {
      if (error instanceof FaceplateError) throw error;
      throw new FaceplateError('REQUEST_TIMEOUT', 'The upload ended before the file was whole.', {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  }
}
