import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { digestResponse } from '../../platform/net/digest.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** The smallest that counts as a JPEG: its frame header, and bytes to fill it. */
export function jpegOf(width: number, height: number, bytes = 64): Buffer {
  const head = Buffer.from([
    0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0,
  ]);
  head.writeUInt16BE(height, 13);
  head.writeUInt16BE(width, 15);
  return Buffer.concat([head, Buffer.alloc(bytes, 7), Buffer.from([0xff, 0xd9])]);
}

/** A camera with pictures at an address of the web, on 127.0.0.1. */
export class WebCamera {
  /** `Authorization` of each request; empty without one. */
  readonly asked: string[] = [];
  /** Connections that are open. */
  open = 0;
  answer: Answer;
  readonly #server: Server;

  constructor(answer: Answer) {
    this.answer = answer;
    this.#server = createServer((request, response) => {
      this.asked.push(request.headers.authorization ?? '');
      this.open++;
      request.socket.once('close', () => this.open--);
      this.answer(request, response);
    });
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  url(path = '/snap.jpg'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }
}

/** Lets in only who has the login, by Digest. */
export function behindDigest(user: string, password: string, answer: Answer): Answer {
  return (request, response) => {
    const header = request.headers.authorization ?? '';
    const field = (name: string) => new RegExp(`\\b${name}="?([^",]*)`).exec(header)?.[1] ?? '';
    const wanted = digestResponse({
      algorithm: 'MD5',
      username: user,
      realm: 'camera',
      password,
      nonce: 'abc',
      method: request.method ?? '',
      uri: request.url ?? '',
      qop: { nc: field('nc'), cnonce: field('cnonce') },
    });
    if (header !== '' && field('response') === wanted) return answer(request, response);
    response.writeHead(401, { 'WWW-Authenticate': 'Digest realm="camera", nonce="abc", qop="auth"' }).end();
  };
}
