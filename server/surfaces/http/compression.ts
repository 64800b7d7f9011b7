import fastifyCompress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Answers smaller than this are sent uncompressed, in bytes. */
const THRESHOLD = 1024;

/**
 * Compresses text: JSON and files over 1 KiB, when the caller accepts gzip. Pictures, films, ranges (whose offsets
 * count bytes of the file) and the event stream stay as they are. Call it before the routes are made.
 */
export async function addCompression(server: FastifyInstance): Promise<void> {
  await server.register(fastifyCompress, {
    // Request bodies are not unpacked: an unpacked body could have any size.
    globalDecompression: false,
    encodings: ['gzip'],
    // Most answers go to the panel's own browser: speed matters more than size.
    zlibOptions: { level: 2 },
    threshold: THRESHOLD,
  });
}

/** For a scope that sends files: files that are too small, or not sent (304), stay as they are, as JSON does. */
export function leaveSmallFiles(scope: FastifyInstance): void {
  scope.addHook('onSend', (request, reply, payload, done) => {
    const length = Number(reply.getHeader('content-length') ?? 0);
    // The plugin's own option for this, which considers requests only.
    if (length < THRESHOLD && typeof payload !== 'string') request.headers['x-no-compression'] = 'small';
    done(null, payload);
  });
}
