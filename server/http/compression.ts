import fastifyCompress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Answers below this many bytes are sent as they are. */
const THRESHOLD = 1024;

/**
 * Compresses what is text: JSON and files over 1 KiB, where the caller takes gzip. Pictures, films, ranges (whose offsets
 * count bytes of the file) and the event stream stay as they are. Call it before the routes are made.
 */
export async function addCompression(server: FastifyInstance): Promise<void> {
  await server.register(fastifyCompress, {
    // Requests are taken as they are: an unpacked body could be of any size.
    globalDecompression: false,
    encodings: ['gzip'],
    // Most of it goes no farther than the panel's own browser: cheap before small.
    zlibOptions: { level: 2 },
    threshold: THRESHOLD,
  });
}

/** For a scope that sends files: those that are too small, or not there (304), are left alone as JSON is. */
export function leaveSmallFiles(scope: FastifyInstance): void {
  scope.addHook('onSend', (request, reply, payload, done) => {
    const length = Number(reply.getHeader('content-length') ?? 0);
    // The plugin's own way to be told, which looks at requests only.
    if (length < THRESHOLD && typeof payload !== 'string') request.headers['x-no-compression'] = 'small';
    done(null, payload);
  });
}
