import { chmod, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Dispatch } from '../../commands/dispatch.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { systemClock } from '../../platform/clock.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { createLogger, silentLogger } from '../../platform/log.ts';
import { kioskUser } from '../../platform/privileges.ts';
import { ResourceScopes } from '../../platform/resourceScopes.ts';
import { createBridge } from '../../surfaces/bridge/bridge.ts';
import { containerSpec } from '../../surfaces/bridge/pageSurfaces.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until as untilTrue } from '../../testing/waiting.ts';
import { type BuiltInPageName, builtInPageHost, builtInPageNames } from '../builtInPageContract.ts';
import { ChromiumHost } from '../chromium/chromiumHost.ts';
import type { ChromiumHostOptions } from '../chromium/chromiumHostOptions.ts';
import { findChromium } from '../chromium/process/commandLine.ts';
import { ROOT_PAGE } from '../chromium/windows/windowPlaces.ts';
import type { HostCertificates, KioskHost } from '../host.ts';
import { DevTools } from './devTools.ts';
import { panelForTests } from './panelForTests.ts';

interface DevToolsTarget {
  id: string;
  type: string;
  url: string;
  webSocketDebuggerUrl: string;
}

/** Built-in pages: not the kiosk's. */
const OWN = new RegExp(`^http://(${builtInPageNames.map(builtInPageHost).join('|')})\\.localhost:`);
export const trustsNobody: HostCertificates = {
  mayTrust: async () => false,
  judgeShown: () => 'refused',
  whyRefused: async () => undefined,
  onTrusted: () => () => {},
};

/** A kiosk for tests: real Chromium (headless, unprivileged), a web server, and a DevTools session in the page. */
export class TestKiosk implements AsyncDisposable {
  readonly bus = new EventBus(silentLogger());
  /** Pages by path; served on every host name. */
  readonly pages = new Map<string, string>();
  /** Targets of redirects by path. */
  readonly redirects = new Map<string, string>();
  /** Statuses of pages by path, with further headers; else 200. */
  readonly statuses = new Map<string, readonly [status: number, headers?: Record<string, string>]>();
  /** Paths that are answered only with this login, as HTTP Basic authentication (RFC 7617). */
  readonly logins = new Map<string, string>();
  /** Requests as `host/path`. */
  readonly requests: string[] = [];
  /** The last Authorization header by `host/path`. */
  readonly authorizations = new Map<string, string | undefined>();
  readonly dispatched: { name: string; params: unknown; origin: string }[] = [];
  readonly bridgeOrigins: string[] = [];
  mayNavigate = (url: URL): boolean => this.bridgeOrigins.includes(url.origin);
  logText = '';
  port = 0;
  debugPort = 0;
  host!: KioskHost;
  /** Several users share this kiosk, one after the other: none of them ends it. */
  isLent = false;
  #folder = '';
  #server: Server | undefined;

  /** Opens `path` of http://p1.localhost, whose origin holds the bridge. */
  static async open(path: string, pages: Record<string, string>, options: Partial<ChromiumHostOptions> = {}) {
    const kiosk = new TestKiosk();
    for (const [page, html] of Object.entries(pages)) kiosk.pages.set(page, html);
    await kiosk.serve();
    await kiosk.makeHost(options);
    await kiosk.start(path);
    return kiosk;
  }

  async serve(port = 0): Promise<void> {
    this.#server = createServer((request, response) => {
      this.requests.push(`${request.headers.host?.split(':')[0]}${request.url}`);
      this.authorizations.set(this.requests.at(-1)!, request.headers.authorization);
      const location = this.redirects.get(request.url ?? '');
      if (location !== undefined) return response.writeHead(302, { location }).end();
      const login = this.logins.get(request.url ?? '');
      if (login !== undefined && request.headers.authorization !== `Basic ${btoa(login)}`)
        return response.writeHead(401, { 'www-authenticate': 'Basic realm="a"' }).end();
      const html = this.pages.get(request.url ?? '');
      if (html === undefined) return response.writeHead(404).end();
      const [status, headers] = this.statuses.get(request.url ?? '') ?? [200];
      const usual = { 'content-type': 'text/html', 'cache-control': 'no-store' };
      return response.writeHead(status, { ...usual, ...headers }).end(html);
    });
    this.#server.on('upgrade', ({ headers, url }, socket) => {
      this.authorizations.set(`${headers.host?.split(':')[0]}${url}`, headers.authorization);
      socket.on('error', () => {}).destroy();
    });
    await new Promise<void>((resolve) => this.#server!.listen(port, '127.0.0.1', resolve));
    this.port = (this.#server.address() as { port: number }).port;
    this.bridgeOrigins.splice(0, Number.POSITIVE_INFINITY, this.origin('p1'));
  }

  async stopServing(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()) ?? resolve());
  }

  origin(project: string): string {
    return `http://${builtInPageHost(project)}.localhost:${this.port}`;
  }

  async makeHost(options: Partial<ChromiumHostOptions> = {}): Promise<void> {
    this.#folder = temporaryFolder('host');
    await chmod(this.#folder, 0o711);
    const log = createLogger('debug', { write: (line: string) => (this.logText += line) } as never);
    this.host = this.createHost({
      binary: findChromium() ?? 'chromium',
      profileDir: this.profileDir,
      headless: true,
      debugPort: 0,
      onDebugPort: (port) => {
        this.debugPort = port;
      },
      user: process.getuid?.() === 0 ? kioskUser('nobody') : undefined,
      env: process.env,
      certificates: trustsNobody,
      policy: { bridgeOrigins: () => this.bridgeOrigins, mayNavigate: (url) => this.mayNavigate(url) },
      recoverySettings: {
        deadPageCheck: () => false,
        memoryLimit: () => 0,
        quietHour: () => 3,
        panel: () => panelForTests,
      },
      spec: containerSpec({ version: '9.8.7', isOem: false, aliases: ['appcontainer'] }),
      log,
      ...options,
    });
  }

  protected createHost(options: ChromiumHostOptions): KioskHost {
    return new ChromiumHost(options);
  }

  /** Closes the kiosk's window, which only a fault does. */
  async closeWindow(): Promise<void> {
    const page = await this.devTools();
    await page.send('Page.close').catch(() => {});
    page.close();
  }

  /** Ends all that shows pages, as far as the service itself goes on. */
  async endBrowser(): Promise<void> {
    process.kill(await this.browserPid(), 'SIGKILL');
  }

  /** The host may start another browser for what comes next: its DevTools port is not known before. */
  browserMayChange(): void {
    this.debugPort = 0;
  }

  get profileDir(): string {
    return join(this.#folder, 'profile');
  }

  async start(path: string): Promise<void> {
    await this.host.start(
      createBridge({
        dispatch: this.#dispatch,
        bus: this.bus,
        holders: new ResourceScopes(systemClock),
        snapshot: () => ({ gpio: [], power: { state: 'awake' }, serial: [], streams: [], camera: null }),
        log: silentLogger(),
      }),
      `${this.origin('p1')}${path}`,
    );
  }

  readonly #dispatch: Dispatch = async (name, params, { origin }) => {
    this.dispatched.push({ name, params, origin });
    if (name === 'gpio.read')
      throw new FaceplateError('INVALID_REQUEST', 'pin must be 0 to 3.', { field: 'pin' });
    return { status: 'ok', name };
  };

  /** A new DevTools session with the kiosk page. */
  devTools(): Promise<DevTools> {
    return this.#connect(({ url }) => !url.startsWith('data:') && url !== ROOT_PAGE && !OWN.test(url));
  }

  /** A DevTools session with a built-in page, which the browser may list a moment after it was opened. */
  async ownTools(name: BuiltInPageName): Promise<DevTools> {
    const isIt = ({ url }: DevToolsTarget) => url.startsWith(`${this.origin(name)}/`);
    await until(async () => (await this.windows()).some(isIt), `the page ${name}`);
    return this.#connect(isIt);
  }

  /** A DevTools session with the black window of a sleeping panel. */
  darkTools(): Promise<DevTools> {
    return this.#connect(({ url }) => url.startsWith('data:'));
  }

  /** A DevTools session with the first frame that has its own process. */
  async frameTools(): Promise<DevTools> {
    const frame = (await this.#targets()).find(({ type }) => type === 'iframe');
    if (frame === undefined) throw new Error('no frame');
    return DevTools.connect(frame.webSocketDebuggerUrl);
  }

  /** What has its own window. */
  async windows(): Promise<DevToolsTarget[]> {
    // Parts of the browser's own interface are sometimes listed too.
    return (await this.#targets()).filter(({ type, url }) => type === 'page' && !url.startsWith('chrome://'));
  }

  /** Waits until so many have their own window: the browser still lists a closed one for a moment. */
  untilWindows(count: number): Promise<void> {
    return until(async () => (await this.windows().catch(() => [])).length === count, `${count} windows`);
  }

  async #targets(): Promise<DevToolsTarget[]> {
    await until(() => this.debugPort !== 0, 'the DevTools port');
    const list = await fetch(`http://127.0.0.1:${this.debugPort}/json/list`);
    return (await list.json()) as DevToolsTarget[];
  }

  async #connect(isIt: (target: DevToolsTarget) => boolean): Promise<DevTools> {
    const target = (await this.windows()).find(isIt);
    if (target === undefined) throw new Error('no page');
    return DevTools.connect(target.webSocketDebuggerUrl);
  }

  /** Evaluates in the page's top frame and awaits the value. Tries again while the page is not there. */
  async evaluate<T>(expression: string): Promise<T> {
    const devTools = await this.devTools();
    try {
      return await devTools.evaluate<T>(expression);
    } finally {
      devTools.close();
    }
  }

  /** Like evaluate, but also in a page of the host. */
  async evaluateAnywhere<T>(expression: string): Promise<T> {
    const devTools = await this.#connect(() => true);
    try {
      return await devTools.evaluate<T>(expression);
    } finally {
      devTools.close();
    }
  }

  /** Shows a page of the kiosk's own origin, loaded again, and waits for it. */
  async show(path: string): Promise<void> {
    // `navigate` says that the new document has begun; until it is there, scripts still run in the old one.
    await this.evaluate('void (window.isLeaving = true)').catch(() => {});
    await this.host.navigate(`${this.origin('p1')}${path}`);
    await this.untilTrue(
      `window.isLeaving === undefined && location.href === '${this.origin('p1')}${path}' && document.readyState === 'complete'`,
    );
  }

  /** For another user, with other pages. */
  async reopen(path: string, pages: Record<string, string>): Promise<void> {
    for (const table of [this.pages, this.statuses, this.redirects, this.logins, this.authorizations])
      table.clear();
    for (const [page, html] of Object.entries(pages)) this.pages.set(page, html);
    await this.startAnew(path);
  }

  /** Back at the home page: only its origin holds the bridge and may be shown, and all records are empty. */
  async startAnew(path = '/'): Promise<void> {
    this.mayNavigate = (url) => this.bridgeOrigins.includes(url.origin);
    this.bridgeOrigins.splice(0, Number.POSITIVE_INFINITY, this.origin('p1'));
    await this.show(path);
    this.requests.length = 0;
    this.dispatched.length = 0;
    this.logText = '';
  }

  /** Waits until the expression is true in the page, even over restarts. */
  async untilTrue(expression: string, ms = 20_000): Promise<void> {
    await until(async () => (await this.evaluate(expression).catch(() => false)) === true, expression, ms);
  }

  /** Process ids of this kiosk's browser, helpers included. */
  async processes(): Promise<number[]> {
    const found: number[] = [];
    for (const entry of await readdir('/proc')) {
      if (!/^\d+$/.test(entry)) continue;
      const line = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
      if (line.includes(this.profileDir)) found.push(Number(entry));
    }
    return found;
  }

  /** How a process was started; empty for one that is gone. */
  commandLine(pid: number): Promise<string> {
    return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  }

  /** The browser itself: the one process that is no helper. */
  async browserPid(): Promise<number> {
    for (const pid of await this.processes()) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (line.includes('--remote-debugging-pipe') && !line.includes('--type=')) return pid;
    }
    throw new Error('no browser');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isLent) await this.end();
  }

  /** Ends it, whoever uses it. */
  async end(): Promise<void> {
    await this.host?.stop();
    await this.stopServing();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Waits until the condition holds, and checks it rarely enough not to load a browser. */
export function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limitMs = 20_000,
): Promise<void> {
  return untilTrue(condition, what, { limitMs, everyMs: 50 });
}
