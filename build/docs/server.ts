import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import type { buildSite } from './site.ts';

type Site = Awaited<ReturnType<typeof buildSite>>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Shows the site to this machine. Each page that is asked for makes the site anew, so that a reload shows a change. */
export class DocsServer {
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => end(response, 500, String(error)));
  });
  readonly #build: () => Promise<Site>;
  #site: Promise<Site> | undefined;

  constructor(build: () => Promise<Site>) {
    this.#build = build;
  }

  /** Listens on loopback alone, on another free port when this one is taken. @returns the address */
  async start(port: number): Promise<string> {
    await this.#listen(port).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      return this.#listen(0);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async #answer({ url = '/', method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(url, 'http://docs').pathname.slice(1).replace(/(^|\/)$/, '$1index.html');
    const isPage = path.endsWith('.html');
    if (isPage || this.#site === undefined) this.#site = this.#build();
    const { files, problems } = await this.#site;
    if (isPage && problems.length > 0) return end(response, 500, problems.join('\n'));
    const content = files.get(decodeURIComponent(path));
    if (content === undefined || (method !== 'GET' && method !== 'HEAD'))
      return end(response, 404, `There is no page ${path}.`);
    response.writeHead(200, {
      'content-type': TYPES[extname(path)] ?? 'text/plain; charset=utf-8',
      'content-security-policy': "default-src 'self'",
      'cache-control': 'no-cache',
    });
    response.end(method === 'HEAD' ? undefined : content);
  }
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
