import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { ResourceScopes } from '../../platform/resourceScopes.ts';

const MAX_LISTENERS = 32;
const EVENTS_PATH = '/api/remote/events';

interface EventStreamOptions {
  readonly bus: EventBus;
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
  readonly streams: OpenStreams;
  readonly holders: ResourceScopes;
}

/**
 * `GET /api/remote/events`: server-sent events, a snapshot first. What is for one holder alone is heard by the streams of
 * its token.
 */
export function addEventStream(
  server: FastifyInstance,
  { bus, snapshot, streams, holders }: EventStreamOptions,
): void {
  let listeners = 0;
  const config = { access: { scope: 'view', http: 'token' } } as const;
  server.get(EVENTS_PATH, { config, exposeHeadRoute: false }, async (request, reply) => {
    if (listeners >= MAX_LISTENERS) {
      throw new FaceplateError('CONFLICT', `At most ${MAX_LISTENERS} callers can listen at one time.`);
    }
    // Callers whose snapshot is still being collected count as well.
    listeners++;
    reply.raw.once('close', () => listeners--);
    // Events that happen while the snapshot is collected are newer than it, so they are sent after it.
    const waiting: [name: string, payload: unknown][] = [];
    let send = (name: string, payload: unknown): Promise<void> | undefined => {
      waiting.push([name, payload]);
      return undefined;
    };
    const unsubscribe = bus.onAnyFor(request.identity, (name, payload) => send(name, payload));
    const leave = holders.attend(request.identity);
    reply.raw.once('close', () => {
      unsubscribe();
      leave();
    });
    const first = await snapshot();
    const stream = new SentEvents(request, reply, streams);
    stream.send('snapshot', first);
    for (const [name, payload] of waiting) stream.send(name, payload);
    send = (name, payload) => stream.sendPaced(name, payload);
    if (reply.raw.closed || reply.raw.destroyed) reply.raw.emit('close');
  });
  server.head(EVENTS_PATH, { config }, (_request, reply) => reply.type('text/event-stream').send());
}

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

  /** Sends what was stored before the caller came: no reader is too slow for what comes all at once. */
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

/** Why a stream is ended by the panel: its token is no longer valid, or the service stops. */
export type EndReason = 'revoked' | 'stopping';

/** The answers that stay open, and whose they are: event streams, feeds, sockets. */
export class OpenStreams {
  readonly #open = new Map<(why: EndReason) => void, object>();
  /** Tokens that ended: a stream that was asked for before, and begins only now, ends at once. */
  readonly #ended = new WeakSet<object>();

  /** Notes one. @returns the function that forgets it, for when its caller has left */
  add(identity: object, end: (why: EndReason) => void): () => void {
    if (this.#ended.has(identity)) end('revoked');
    else this.#open.set(end, identity);
    return () => this.#open.delete(end);
  }

  /** Ends those of one token. @param identity the very object that callers with this token got */
  endOf(identity: object): void {
    this.#ended.add(identity);
    this.#end((holder) => holder === identity, 'revoked');
  }

  /** Ends all of them. */
  endAll(): void {
    this.#end(() => true, 'stopping');
  }

  #end(which: (holder: object) => boolean, why: EndReason): void {
    for (const [end, holder] of this.#open) {
      if (!which(holder)) continue;
      this.#open.delete(end);
      end(why);
    }
  }
}
