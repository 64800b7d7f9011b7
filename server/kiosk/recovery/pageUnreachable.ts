import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { uptime } from 'node:os';
import type { Clock } from '../../platform/clock.ts';
import { ownAddresses } from '../../platform/net/addresses.ts';
import { request as requestHttp } from '../../platform/net/nodeHttp.ts';
import type { HostCertificates, RecoverySettings } from '../host.ts';
import { placeOf, serverOf } from '../navigationPolicy.ts';
import type { Recovery } from './recovery.ts';
import { type OutageReason, waitingPage } from './waitingPage.ts';

interface PageUnreachableOptions {
  readonly clock: Clock;
  readonly recovery: Recovery;
  readonly certificates: HostCertificates;
  /** The panel itself, for its waiting page. */
  readonly panel: RecoverySettings['panel'];
  /** @see RecoveryLimits.refusedMs */
  readonly refusedMs: number;
  /** The longest time between two tries of a server that does not answer, in milliseconds. */
  readonly retryMs: number;
  /** The page that the panel waits for. */
  readonly home: () => string;
  readonly goHome: () => Promise<void>;
  /** Shows one of the host's own pages; never fails. */
  readonly showNotice: (url: string) => Promise<void>;
}

/**
 * The page's server is down or not trusted. The screen says so, and the page is tried again: after a delay, and at once
 * when the network changes, the panel wakes, the clock is set (certificates have dates) or a certificate is trusted. Counted once.
 */
export class PageUnreachable {
  readonly #options: PageUnreachableOptions;
  /** Stops the watch over network and certificates. */
  #unwatch: (() => void) | undefined;
  /** The waiting page that is shown. */
  #shown = '';
  /** Why the page cannot be shown although its server answers; a sentence is in the browser's own words. */
  refusal: OutageReason | { readonly sentence: string } = 'unreachable';

  constructor(options: PageUnreachableOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#unwatch !== undefined;
  }

  /** The page could not be shown. */
  begin(): void {
    if (!this.isOn) this.#options.recovery.count('page-unreachable');
    this.#watch();
    void this.#explain(this.#options.retryMs);
    this.#tryLater();
  }

  /** The server answers with an error that is no page. @param status 400 and above */
  refuse(status: number): void {
    const { recovery } = this.#options;
    if (!this.isOn) recovery.count('page-unreachable');
    this.#watch();
    this.refusal = [404, 410].includes(status) ? 'missing' : 'refusing';
    const { refusedMs } = this.#options;
    void this.#explain(refusedMs);
    recovery.schedule('page-unreachable', () => void this.#knock(), refusedMs);
  }

  /** Whether the server answers, with an error that is no page. */
  get isRefused(): boolean {
    return this.isOn && (this.refusal === 'missing' || this.refusal === 'refusing');
  }

  /** The page does not start, although its server answers. @param delayMs until it is tried again */
  rest(delayMs: number): void {
    this.#watch();
    this.refusal = 'broken';
    void this.#explain(delayMs);
    this.#options.recovery.schedule('dead-page', () => void this.#knock(), delayMs);
  }

  end(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.refusal = 'unreachable';
  }

  #watch(): void {
    if (this.isOn) return;
    const { clock, recovery, certificates } = this.#options;
    const knockNow = () => {
      recovery.cancel();
      void this.#knock();
    };
    const watches = [onWorldChange(clock, knockNow), certificates.onTrusted(knockNow)];
    this.#unwatch = () => {
      for (const end of watches) end();
    };
  }

  #tryLater(): void {
    this.#options.recovery.schedule('page-unreachable', () => void this.#knock());
  }

  /** Navigates only when the server answers: otherwise the browser would show its own error page in between. */
  async #knock(): Promise<void> {
    const { home, recovery, goHome } = this.#options;
    const url = home();
    const reason = await this.#whyNot(url);
    if (!this.isOn || url !== home() || recovery.waiting) return;
    if (reason === undefined) return goHome();
    this.#tryLater();
    await this.#show(url, reason, this.#options.retryMs);
  }

  async #explain(withinMs: number): Promise<void> {
    const url = this.#options.home();
    this.#shown = '';
    await this.#show(url, (await this.#whyNot(url)) ?? this.refusal, withinMs);
  }

  /** What is waited for may change, as the network comes: the page says what it is now. */
  async #show(
    url: string,
    reason: OutageReason | { readonly sentence: string },
    withinMs: number,
  ): Promise<void> {
    const { home, showNotice, panel } = this.#options;
    const notice = waitingPage({ place: placeOf(url), reason, panel: await panel(), withinMs });
    if (!this.isOn || url !== home() || notice === this.#shown) return;
    this.#shown = notice;
    await showNotice(notice);
  }

  async #whyNot(url: string): Promise<OutageReason | { sentence: string } | undefined> {
    const reason = await whyUnreachable(url);
    if (reason !== undefined) return reason;
    // Asked without the browser, which would show an empty page meanwhile.
    if (this.refusal === 'failing' && (await answerOf(url)) === 'outage') return 'failing';
    if (this.isRefused && (await answerOf(url)) === 'error') return this.refusal;
    const sentence = await this.#options.certificates.whyRefused(serverOf(url));
    return sentence === undefined ? undefined : { sentence };
  }
}

/**
 * What the answer to a request for the page's document is. `outage`: its server is down for now, as a proxy says whose own
 * server is not up yet (RFC 9110 15.5.9 and 15.6, RFC 6585 4, RFC 8470 5.2), or one that says when it will be back
 * (RFC 9110 10.2.3). `error`: an error of 400 and above that is no web page, such as the JSON of an API. `page`: all else,
 * also an error page made for people.
 * @param header the value of a header, by its name in lower case
 */
export function judgeAnswer(
  status: number,
  header: (name: string) => string | undefined,
): 'page' | 'outage' | 'error' {
  if ([408, 425, 429, 502, 503, 504].includes(status)) return 'outage';
  if (status >= 500 && header('retry-after') !== undefined) return 'outage';
  if (status < 400) return 'page';
  const isPage = /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(header('content-type') ?? '');
  return isPage && header('content-length') !== '0' ? 'page' : 'error';
}

/** How long a server may take to accept a connection, in milliseconds. */
const CONNECT_MS = 3_000;
/** How often network addresses and clocks are looked at, in milliseconds. */
const LINK_EVERY_MS = 1_000;

/**
 * Connects to the server of a page, so that the browser need not try.
 * @returns undefined when it answers, else why not
 */
export async function whyUnreachable(url: string): Promise<OutageReason | undefined> {
  const { host, port } = serverOf(url);
  try {
    await knock(await addressOf(host), port);
    return undefined;
  } catch (error) {
    return reasonOf((error as NodeJS.ErrnoException).code);
  }
}

/** Asks the server for the page, as a browser does that navigates; what it cannot decide is left to the browser. */
async function answerOf(url: string): Promise<ReturnType<typeof judgeAnswer>> {
  const { hostname, port, pathname, search, host, protocol } = new URL(url);
  const request = protocol === 'https:' ? requestHttps : requestHttp;
  try {
    const asked = request({
      host: await addressOf(hostname),
      port,
      path: pathname + search,
      headers: { host, accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' },
      ...(protocol === 'https:' && { servername: hostname }),
      timeout: CONNECT_MS,
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer'))).on('error', () => {});
    asked.end();
    const [{ statusCode = 0, headers }] = (await once(asked, 'response')) as [IncomingMessage];
    asked.destroy();
    return judgeAnswer(statusCode, (name) => headers[name] as string | undefined);
  } catch {
    return 'page';
  }
}

/** Chromium takes *.localhost for this machine; the resolver of the system may not. */
async function addressOf(hostname: string): Promise<string> {
  if (/(^|\.)localhost$/.test(hostname)) return '127.0.0.1';
  return (await lookup(hostname.replace(/^\[|\]$/g, ''))).address;
}

function knock(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(CONNECT_MS, () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

function reasonOf(code: string | undefined): OutageReason {
  switch (code) {
    case 'ECONNREFUSED':
      return 'refused';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
      return 'silent';
    case 'ENETUNREACH':
      return 'no-network';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'no-name';
    default:
      return 'unreachable';
  }
}

/**
 * What changes below the page. `up`: the panel has an address that it did not have; `moved`: one is gone, or is there
 * again, so connections over it are dead; `woke`: the panel was suspended; `set`: somebody has set the time of day.
 */
export type WorldChange = 'up' | 'moved' | 'woke' | 'set';

interface World {
  addresses(): string[];
  /** Milliseconds since the boot, suspended ones too. */
  uptime(): number;
  /** Milliseconds since 1970. */
  wall(): number;
}

const WORLD: World = {
  addresses: () => ownAddresses().map(({ address }) => address),
  uptime: () => uptime() * 1_000,
  wall: () => Date.now(),
};
/** Two clocks drift apart by less, in milliseconds. */
const JUMP_MS = 5_000;

/** Reports what changes below the page, within a second. @returns the function that stops it. */
export function onWorldChange(
  clock: Clock,
  act: (changes: ReadonlySet<WorldChange>) => void,
  world: World = WORLD,
): () => void {
  const read = () => {
    const sinceBoot = world.uptime();
    return {
      addresses: new Set(world.addresses()),
      suspended: sinceBoot - clock.now(),
      date: world.wall() - sinceBoot,
    };
  };
  let known = read();
  let isLost = false;
  let cancel: () => void;
  const look = () => {
    cancel = clock.after(LINK_EVERY_MS, () => {
      const now = read();
      const changes = new Set<WorldChange>();
      const isGone = [...known.addresses].some((address) => !now.addresses.has(address));
      const isNew = [...now.addresses].some((address) => !known.addresses.has(address));
      if (isNew) changes.add('up');
      if (isGone || (isNew && isLost)) changes.add('moved');
      isLost = isGone || (isLost && !isNew);
      if (now.suspended - known.suspended > JUMP_MS) changes.add('woke');
      if (Math.abs(now.date - known.date) > JUMP_MS) changes.add('set');
      known = now;
      look();
      if (changes.size > 0) act(changes);
    });
  };
  look();
  return () => cancel();
}
