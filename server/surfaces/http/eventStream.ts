import type { FastifyInstance } from 'fastify';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Holders } from '../../platform/holders.ts';
import type { OpenStreams } from './openStreams.ts';
import { SentEvents } from './sentEvents.ts';

const MAX_LISTENERS = 32;

interface EventStreamOptions {
  readonly bus: EventBus;
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
  readonly streams: OpenStreams;
  readonly holders: Holders;
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
  server.get('/api/remote/events', { config }, async (request, reply) => {
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
}
