import { pipeline, Readable } from 'node:stream';
import { createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Answers smaller than this are sent uncompressed, in bytes; of text in characters. */
const THRESHOLD = 1024;

/** Most answers go to the panel's own browser: speed matters more than size. */
const LEVEL = { level: 2 };

/** Types that get smaller. Events would wait in the compressor; pictures, films, sounds and archives are compressed already. */
const COMPRESSIBLE =
  /^text\/(?!event-stream)|[+/](?:json|text|xml|javascript|wasm|octet-stream|ttf|otf|bmp|x-icon|vnd\.microsoft\.icon)(?:;|$)/i;

/**
 * Compresses text: JSON and files over 1 KiB, when the caller accepts gzip. Pictures, films, ranges (whose offsets
 * count bytes of the file) and the event stream stay as they are, and so does a stream of unknown length. Call it before
 * the routes are made. The plugin that Fastify has for this costs each small answer more than all its other hooks.
 */
export function addCompression(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string' && payload.length < THRESHOLD) return done(null, payload);
    if (!isWorthIt(payload, reply) || !acceptsGzip(request.headers['accept-encoding']))
      return done(null, payload);
    addVary(reply);
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    if (payload instanceof Readable) {
      // An end before its time destroys both, and then the connection.
      return done(
        null,
        pipeline(payload, createGzip(LEVEL), () => undefined),
      );
    }
    gzip(payload as string | Uint8Array, LEVEL, done);
  });
}

function isWorthIt(payload: unknown, reply: FastifyReply): boolean {
  const length =
    typeof payload === 'string' || payload instanceof Uint8Array
      ? payload.length
      : payload instanceof Readable
        ? Number(reply.getHeader('content-length') ?? 0)
        : 0;
  return (
    length >= THRESHOLD &&
    reply.statusCode !== 206 &&
    !reply.hasHeader('content-range') &&
    !reply.hasHeader('content-encoding') &&
    COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))
  );
}

/** Whether an Accept-Encoding header (RFC 9110 section 12.5.3) lets us send gzip. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  let others = false;
  for (const entry of String(header ?? '')
    .toLowerCase()
    .split(',')) {
    const [coding, ...parameters] = entry.split(';').map((part) => part.trim());
    const isWanted = !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return isWanted;
    if (coding === '*') others = isWanted;
  }
  return others;
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  if (!String(vary ?? '').includes('accept-encoding'))
    reply.header('vary', [vary, 'accept-encoding'].filter(Boolean).join(', '));
}
