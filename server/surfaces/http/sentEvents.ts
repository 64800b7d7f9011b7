import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenStreams } from './openStreams.ts';

const HEARTBEAT_MS = 15_000;
/** Characters that may wait for a slow reader before it is cut off. */
const MAX_BACKLOG = 1024 * 1024;

/** One open stream of server-sent events (WHATWG HTML, section 9.2). A reader that is too slow is cut off. */
export class SentEvents {
  readonly #raw: ServerResponse;
  #backlog = '';
  /** Characters of the backlog that are no fault of the reader. */
  #excused = 0;
  #draining: Promise<void> | undefined;

  /** Sends the headers. The stream ends with its caller, with its token, and with the service. */
  constructor(request: FastifyRequest, reply: FastifyReply, streams: OpenStreams) {
    reply.hijack();
    const { raw } = reply;
    this.#raw = raw;
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    raw.flushHeaders();
    raw.on('drain', () => {
      if (this.#backlog !== '') raw.write(this.#backlog);
      this.#backlog = '';
      this.#excused = 0;
    });
    const heartbeat = setInterval(() => this.#write(':\n\n'), HEARTBEAT_MS);
    const forget = streams.add(request.identity, () => raw.end());
    this.onEnd(() => {
      clearInterval(heartbeat);
      forget();
    });
  }

  send(name: string, payload: unknown): void {
    this.#write(`event: ${name}\ndata: ${JSON.stringify(payload)}\n\n`);
  }

  /** As `send`. @returns undefined, or a promise for when the reader has room again, or is gone */
  sendPaced(name: string, payload: unknown): Promise<void> | undefined {
    this.send(name, payload);
    const raw = this.#raw;
    if (!raw.writableNeedDrain || raw.destroyed) return undefined;
    this.#draining ??= new Promise((resolve) => {
      const done = () => {
        this.#draining = undefined;
        raw.off('drain', done);
        raw.off('close', done);
        resolve();
      };
      raw.once('drain', done);
      raw.once('close', done);
    });
    return this.#draining;
  }

  /** Sends what was kept before the caller came: no reader is too slow for what comes all at once. */
  sendKept(send: () => void): void {
    this.#excused = Number.POSITIVE_INFINITY;
    send();
    this.#excused = this.#backlog.length;
  }

  /** Calls `act` once, when the caller has left or the stream was ended. */
  onEnd(act: () => void): void {
    if (this.#raw.closed || this.#raw.destroyed) act();
    else this.#raw.once('close', act);
  }

  #write(chunk: string): void {
    const raw = this.#raw;
    if (raw.writableEnded) return;
    if (!raw.writableNeedDrain) raw.write(chunk);
    // One text: thousands of small writes that wait take five times the memory of what they hold.
    else if (this.#backlog.length + chunk.length <= this.#excused + MAX_BACKLOG) this.#backlog += chunk;
    else raw.destroy();
  }
}
