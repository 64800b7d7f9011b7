import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server of the test: pages of another origin, such as a remote dashboard or a hostile page. */
export class TestSite {
  /** Requested paths with their host names, oldest first: `p1.localhost/frame`. */
  readonly requests: string[] = [];
  readonly #pages: Readonly<Record<string, string>>;
  readonly #server: Server;

  /** @param pages HTML by path, the same for every host name. */
  constructor(pages: Readonly<Record<string, string>>) {
    this.#pages = pages;
    this.#server = createServer((request, response) => {
      this.requests.push(`${hostOf(request)}${request.url}`);
      const html = this.#pages[request.url ?? ''];
      response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(html);
    });
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** @param host browsers resolve every name below localhost to this machine. */
  origin(host = 'p1.localhost'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

function hostOf(request: IncomingMessage): string {
  return (request.headers.host ?? '').split(':')[0]!;
}
