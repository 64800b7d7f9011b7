import { createServer } from 'node:net';

/** A free port of 127.0.0.1. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
