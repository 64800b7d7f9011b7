import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';

/** The request that is repeated. */
interface Load {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly connections: number;
  readonly ms: number;
  /** Over TLS; the certificate is not checked. */
  readonly isSecure?: boolean;
  /** The status of each answer; without it 200. */
  readonly status?: number;
}

const HEADER_END = '\r\n\r\n';

/**
 * Requests per second that a server on 127.0.0.1 answers: each connection stays open and has one request under way.
 * Uses bare sockets, because a full HTTP client costs more than the server and would hide the difference.
 * @throws on any other answer
 */
export async function requestsPerSecond(load: Load): Promise<number> {
  const { port, path, token, connections, ms, isSecure = false, status = 200 } = load;
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port, isSecure)));
  const until = performance.now() + ms;
  const started = performance.now();
  try {
    const counts = await Promise.all(sockets.map((socket) => askUntil(socket, { request, until, status })));
    return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / (performance.now() - started);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function open(port: number, isSecure: boolean): Promise<Socket> {
  const socket = isSecure
    ? connectSecure({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, isSecure ? 'secureConnect' : 'connect');
  return socket;
}

interface Asking {
  readonly request: string;
  /** Of performance.now(). */
  readonly until: number;
  readonly status: number;
}

function askUntil(socket: Socket, { request, until, status }: Asking): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let text = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`The server closed the connection after ${count} answers.`)));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const bodyAt = text.indexOf(HEADER_END) + HEADER_END.length;
      if (bodyAt < HEADER_END.length) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
      if (text.length < bodyAt + length) return;
      if (!text.startsWith(`HTTP/1.1 ${status} `))
        return reject(new Error(`Not answered with ${status}: ${text}`));
      text = '';
      count++;
      if (performance.now() < until) socket.write(request);
      else resolve(count);
    });
    socket.write(request);
  });
}
