import type { FastifyInstance, FastifyReply } from 'fastify';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { EventBus } from '../../platform/eventBus.ts';

const HEARTBEAT_MS = 15_000;
/** Characters that may wait for a slow reader before it is cut off. */
const MAX_BACKLOG = 1024 * 1024;
const MAX_LISTENERS = 32;

/**
 * `GET /api/remote/events`: server-sent events, a snapshot first (WHATWG HTML, section 9.2).
 * @returns the function that ends all open streams.
 */
export function addEventStream(
  server: FastifyInstance,
  bus: EventBus,
  snapshot: () => Snapshot | Promise<Snapshot>,
): () => void {
  const open = new Set<FastifyReply['raw']>();
  let listeners = 0;
  server.get('/api/remote/events', { config: { access: 'token' } }, async (_request, reply) => {
    if (listeners >= MAX_LISTENERS) {
      throw new FaceplateError('CONFLICT', `At most ${MAX_LISTENERS} callers can listen at one time.`);
    }
    // Callers whose snapshot is still being collected count as well.
    listeners++;
    reply.raw.once('close', () => listeners--);
    // Events that happen while the snapshot is collected are newer than it, so they are sent after it.
    const waiting: string[] = [];
    let write = (chunk: string): void => {
      waiting.push(chunk);
    };
    const unsubscribe = bus.onAny((name, payload) => write(eventText(name, payload)));
    const { raw } = reply;
    raw.once('close', unsubscribe);
    const first = await snapshot();
    reply.hijack();
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    raw.write(eventText('snapshot', first));
    let backlog = '';
    write = (chunk) => {
      if (!raw.writableNeedDrain) raw.write(chunk);
      // One text: thousands of small writes that wait take five times the memory of what they hold.
      else if (backlog.length + chunk.length <= MAX_BACKLOG) backlog += chunk;
      else raw.destroy();
    };
    raw.on('drain', () => {
      if (backlog !== '') raw.write(backlog);
      backlog = '';
    });
    waiting.forEach(write);
    const heartbeat = setInterval(() => write(':\n\n'), HEARTBEAT_MS);
    open.add(raw);
    raw.once('close', () => {
      clearInterval(heartbeat);
      open.delete(raw);
    });
    if (raw.closed || raw.destroyed) raw.emit('close');
  });
  return () => {
    for (const raw of open) raw.end();
  };
}

function eventText(name: string, payload: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(payload)}\n\n`;
}
