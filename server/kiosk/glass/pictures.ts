import { FaceplateError } from '../../contract/errors.ts';
import { unlessAborted } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CodedPicture, PictureOrder, PictureReply } from './contract.ts';

/** How long a picture may take, the start of the page included, in milliseconds. */
const DECODE_MS = 5_000;

interface GlassPicturesOptions {
  /** Sends this to the page, which must be ready. */
  readonly post: (order: PictureOrder) => void;
  readonly clock: Clock;
}

interface Waiting {
  readonly order: PictureOrder;
  readonly answer: PromiseWithResolvers<Uint8Array>;
  isSent: boolean;
}

/**
 * Pictures of cameras that the page of the glass decodes. The pages of the panel's owner have no part in it, and the glass is
 * there already: no further page has to be loaded.
 */
export class GlassPictures {
  readonly #options: GlassPicturesOptions;
  readonly #waiting = new Map<number, Waiting>();
  #isReady = false;
  #count = 0;

  constructor(options: GlassPicturesOptions) {
    this.#options = options;
  }

  /**
   * Waits for the page, where it is not there yet.
   * @returns a JPEG
   * @throws FaceplateError CAMERA_PROTOCOL for what is no picture; UNSUPPORTED_HARDWARE, HARDWARE_TIMEOUT, HARDWARE_ERROR;
   * the reason of `signal`
   */
  async decode({ kind, bytes, width }: CodedPicture, signal: AbortSignal): Promise<Uint8Array> {
    const picture = ++this.#count;
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    const answer = Promise.withResolvers<Uint8Array>();
    const waiting = { order: { picture, kind, data, width: width ?? null }, answer, isSent: false };
    this.#waiting.set(picture, waiting);
    const cancel = this.#options.clock.after(DECODE_MS, () =>
      answer.reject(
        new FaceplateError('HARDWARE_TIMEOUT', "The panel's browser does not decode the picture."),
      ),
    );
    if (this.#isReady) this.#send(waiting);
    try {
      return await unlessAborted(answer.promise, signal);
    } finally {
      cancel();
      this.#waiting.delete(picture);
    }
  }

  /** The page has begun: it gets what waits. */
  ready(): void {
    this.#isReady = true;
    for (const waiting of [...this.#waiting.values()]) this.#send(waiting);
  }

  /** The page is gone. What it had was lost with it, and may be why: it is not sent again. */
  gone(): void {
    this.#isReady = false;
    const sentence = "The panel's browser gave up while it decoded the picture.";
    for (const { isSent, answer } of this.#waiting.values())
      if (isSent) answer.reject(new FaceplateError('HARDWARE_ERROR', sentence));
  }

  /** The page has decoded a picture, or failed to; by then the wait for it may be over. */
  hear(reply: PictureReply): void {
    const answer = this.#waiting.get(reply.decoded)?.answer;
    if ('jpeg' in reply) answer?.resolve(Buffer.from(reply.jpeg, 'base64'));
    else if (reply.failed === 'broken')
      answer?.reject(
        new FaceplateError('CAMERA_PROTOCOL', 'The camera sent a picture that cannot be decoded.'),
      );
    else
      answer?.reject(new FaceplateError('UNSUPPORTED_HARDWARE', "The panel's browser cannot decode H.264."));
  }

  #send(waiting: Waiting): void {
    if (waiting.isSent) return;
    waiting.isSent = true;
    this.#options.post(waiting.order);
  }
}
