import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a page may take to report, in milliseconds; generous, because test machines are busy. */
const REPORT_MS = 30_000;

/** What the site serves at a path. */
export interface SiteFile {
  readonly body: string | Uint8Array;
  /** Content type; without it HTML. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** HTTP status; without it 200. */
  readonly status?: number;
  /** Delay of the answer, in milliseconds. */
  readonly delayMs?: number;
}

interface Question {
  readonly path: string;
  answer(report: { value?: unknown; error?: string }): void;
}

/**
 * The page's side of a test without a debugger: a web server that tells the browser which page to show next (by an event
 * stream that each of its pages holds open) and takes what the page reports (by a POST). One site for each browser.
 */
export class ReportSite implements AsyncDisposable {
  /** Files by path, the same on every host name below localhost. */
  readonly files = new Map<string, SiteFile>();
  /** Answers for paths that are not in `files`. */
  otherFiles: (path: string) => SiteFile | undefined = () => undefined;
  /** Requests as `host/path`, oldest first, without those of the site's own scripts. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #questions = new Map<string, Question>();
  #listener: ServerResponse | undefined;
  #next: { readonly number: number; readonly path: string } | undefined;
  #asked = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async open(): Promise<ReportSite> {
    const site = new ReportSite();
    site.#server.listen(0, '127.0.0.1');
    await once(site.#server, 'listening');
    return site;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** @param host browsers resolve every name below localhost to this machine */
  origin(host = 'bare'): string {
    return `http://${host}.localhost:${this.port}`;
  }

  /** The page to start the browser with: it waits for the first question. */
  get home(): string {
    return `${this.origin()}/`;
  }

  /** Where the page of the next `show` will be: a browser that starts with it needs no other page before. */
  get next(): string {
    return `${this.origin()}/ask/${this.#asked + 1}`;
  }

  /**
   * Runs a function in a new page of the browser and returns its result; it must use nothing from outside itself.
   * The page is a new document with an empty body.
   * @throws Error with the page's words when the function throws, or when nothing is reported in time
   */
  ask<T, A extends readonly unknown[]>(task: (...args: A) => T, ...args: A): Promise<Awaited<T>> {
    // A "</script>" within an argument would end the script.
    const call = `(${task})(...${JSON.stringify(args).replaceAll('<', '\\u003c')})`;
    return this.show<Awaited<T>>(`<body><script>bare.report(async () => ${call})</script>`);
  }

  /**
   * Shows a page that calls `bare.report(value or function)` at some time. A browser that starts again finds it until then.
   * @param limitMs how long that may take, in milliseconds; afterwards the page is gone
   * @throws as `ask`
   */
  show<T>(html: string, limitMs = REPORT_MS): Promise<T> {
    const shown = this.#show<T>(html, limitMs);
    // A test that fails while the page is at work no longer waits for it.
    shown.catch(() => {});
    return shown;
  }

  /**
   * Goes to a page that runs `ownScript` and then reports; the page is one of `files` or `otherFiles`.
   * @param limitMs how long it may take, in milliseconds
   * @throws as `ask`
   */
  visit<T>(path: string, limitMs: number): Promise<T> {
    return this.#answerOf<T>(++this.#asked, path, path, limitMs);
  }

  /** The script that the page of the last question has to run before it can report. */
  get ownScript(): string {
    return ownScript(this.#asked);
  }

  async #show<T>(html: string, limitMs: number): Promise<T> {
    const number = ++this.#asked;
    const path = `/ask/${number}`;
    const script = `<script>${ownScript(number)}</script>`;
    this.files.set(path, { body: `<!doctype html><meta charset="utf-8">${script}${html}` });
    try {
      return await this.#answerOf<T>(number, path, html, limitMs);
    } finally {
      this.files.delete(path);
    }
  }

  async #answerOf<T>(number: number, path: string, what: string, limitMs: number): Promise<T> {
    const report = await new Promise<{ value?: unknown; error?: string }>((resolve) => {
      const limit = setTimeout(
        () => answer({ error: `nothing was reported by: ${what.slice(0, 500)}` }),
        limitMs,
      );
      const answer = (said: { value?: unknown; error?: string }) => {
        clearTimeout(limit);
        this.#questions.delete(String(number));
        // A page that comes home now must not be sent to what is over.
        if (this.#next?.number === number) this.#next = undefined;
        resolve(said);
      };
      this.#questions.set(String(number), { path, answer });
      this.#next = { number, path };
      this.#tellNext();
    });
    if (report.error !== undefined) throw new Error(report.error);
    return report.value as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { answer } of this.#questions.values()) answer({ error: 'the site was closed' });
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #tellNext(): void {
    if (this.#listener === undefined || this.#next === undefined) return;
    this.#listener.write(`data: ${this.#next.path}\n\n`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.origin());
    const [, place, number = ''] = pathname.split('/');
    if (place === 'orders') return this.#listen(response, searchParams.get('of') ?? '');
    if (place === 'report') {
      const report = JSON.parse(await text(request));
      response.writeHead(204, { 'access-control-allow-origin': '*' }).end();
      this.#questions.get(number)?.answer(report);
      return;
    }
    if (pathname === '/') {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><script>${ownScript(0)}</script><h1>home</h1>`);
      return;
    }
    if (place !== 'ask') this.requests.push(`${request.headers.host?.split(':')[0]}${request.url}`);
    const file = this.files.get(pathname) ?? this.otherFiles(pathname);
    if (file === undefined) return void response.writeHead(404).end();
    if (file.delayMs !== undefined) await sleep(file.delayMs);
    const type = file.type ?? 'text/html; charset=utf-8';
    response.writeHead(file.status ?? 200, {
      'content-type': type,
      'cache-control': 'no-store',
      ...file.headers,
    });
    response.end(request.method === 'HEAD' ? undefined : file.body);
  }

  /** A page listens. If it shows another question, for example after a restart of the browser, it is sent to this one. */
  #listen(response: ServerResponse, number: string): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(':\n\n');
    this.#listener = response;
    if (String(this.#next?.number) !== number) this.#tellNext();
  }
}

/** Goes where the site sends the page, and offers `bare.report`. */
function ownScript(number: number): string {
  // A page may give itself another base address.
  return `(() => {
  const { origin } = location;
  // A frame that ends up here must not take the place of its page.
  if (top === self) new EventSource(origin + '/orders?of=${number}').onmessage = ({ data }) => location.replace(origin + data);
  const send = (report) => {
    const body = JSON.stringify(report);
    // A request that outlives its page may have 64 KiB at most.
    return fetch(origin + '/report/${number}', { method: 'POST', body, keepalive: body.length < 20_000 });
  };
  globalThis.bare = {
    report: async (value) => {
      try {
        await send({ value: typeof value === 'function' ? await value() : value });
      } catch (error) {
        await send({ error: String(error?.stack ?? error) });
      }
    },
  };
})();`;
}
