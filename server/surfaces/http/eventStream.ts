import type { FastifyInstance } from 'fastify';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { OpenStreams } from './openStreams.ts';
import { SentEvents } from './sentEvents.ts';

const MAX_LISTENERS = 32;

interface EventStreamOptions {
  readonly bus: EventBus;
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
  readonly streams: OpenStreams;
}

/** `GET /api/remote/events`: server-sent events, a snapshot first. */
export function addEventStream(
  server: FastifyInstance,
  { bus, snapshot, streams }: EventStreamOptions,
): void {
  let listeners = 0;
  const config = { access: { scope: 'view', http: 'token' } } as const;
  server.get('/api/remote/events', { config }, async (request, reply) => {
    if (listeners >= MAX_LISTENERS) {
      throw new FaceplateError('CONFLICT', `At most ${MAX_LISTENERS} callers can listen at one time.`);
    }
    // Callers whose snapshot is still being collected count as well.
    listeners++;
    reply.raw.once('close', () => listeners--);
    // Events that happen while the snapshot is collected are newer than it, so they are sent after it.
    const waiting: [name: string, payload: unknown][] = [];
    let send = (name: string, payload: unknown): void => {
      waiting.push([name, payload]);
    };
    const unsubscribe = bus.onAny((name, payload) => send(name, payload));
    reply.raw.once('close', unsubscribe);
    const first = await snapshot();
    const stream = new SentEvents(request, reply, streams);
    stream.send('snapshot', first);
    for (const [name, payload] of waiting) stream.send(name, payload);
    send = (name, payload) => stream.send(name, payload);
    if (reply.raw.closed || reply.raw.destroyed) reply.raw.emit('close');
  });
}
