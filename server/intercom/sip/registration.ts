import { randomUUID } from 'node:crypto';
import { doubled } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DigestClient } from './auth/digest.ts';
import { formatNameAddr, readableNameAddrs } from './message/fields.ts';
import { Headers } from './message/headers.ts';
import { NO_BODY, type ReceivedResponse, type SipRequest } from './message/message.ts';
import { parseNumber } from './message/syntax.ts';
import { formatUri, sipUri } from './message/uri.ts';
import type { ClientHandlers } from './transaction/clientTransaction.ts';
import { newTag, type TransactionLayer } from './transaction/layer.ts';
import { type Hop, samePlace } from './transport/hop.ts';
import type { StreamConnection } from './transport/streamConnection.ts';

/** The interval that we request, in seconds. */
const EXPIRES = 300;
const MAX_EXPIRES = 86_400;
/** Share of the granted time after which we register again. */
const REFRESH = 0.8;
/** Backoff for a registrar that does not answer: the first and the longest wait, in milliseconds. */
const RETRY_FIRST_MS = 5_000;
const RETRY_LONGEST_MS = 5 * 60_000;
/** The same for one that refused: more tries would lock the account, and the cause does not go away without help. */
const REFUSED_FIRST_MS = 5 * 60_000;
const REFUSED_LONGEST_MS = 60 * 60_000;
/** RFC 5626 section 4.4: for UDP, where routers forget quickly, and for connections. */
const KEEPALIVE_MS = { udp: 25_000, tcp: 110_000, tls: 110_000 };
const UNREGISTER_MS = 1_500;

interface RegistrationOptions {
  readonly clock: Clock;
  readonly layer: TransactionLayer;
  readonly random: () => number;
  /** Name or address of the registrar as configured, and its port if one is set. */
  readonly host: string;
  readonly port: number | undefined;
  readonly username: string;
  readonly digest: DigestClient;
  readonly resolve: () => Promise<readonly Hop[]>;
  readonly contact: (hop: Hop) => Promise<string>;
  readonly describe: (headers: Headers, kind: 'request') => void;
  readonly keepAlive: (hop: Hop) => void;
  /**
   * Called with the hops of the registrar whenever they are resolved or one of them accepts us; that one comes first.
   */
  readonly onHops: (hops: readonly Hop[]) => void;
  readonly onChange: (registered: boolean, lastError: string | null) => void;
}

type Outcome = { readonly response: ReceivedResponse; readonly hop: Hop } | { readonly problem: string };

/** Keeps this panel registered (RFC 3261 section 10.2). */
export class Registration {
  readonly #options: RegistrationOptions;
  readonly #callId = randomUUID();
  readonly #tag = newTag();
  #cseq = 0;
  #expires = EXPIRES;
  #hop: Hop | undefined;
  #hops: readonly Hop[] = [];
  #registered = false;
  #lastError: string | null = null;
  #failures = 0;
  #isRunning = false;
  /** Whether it waits for the time of the next attempt. */
  #isWaiting = false;
  #cancelNext = (): void => {};
  #cancelKeepAlive = (): void => {};

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  get registered(): boolean {
    return this.#registered;
  }

  start(): void {
    this.#isRunning = true;
    void this.#register();
  }

  /** The cause of the failure may be gone: tries at once. */
  tryNow(): void {
    if (this.#isWaiting && !this.#registered) this.#later(0);
  }

  /** Unregisters, within 1.5 s. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#isWaiting = false;
    this.#cancelNext();
    this.#cancelKeepAlive();
    if (!this.#registered || this.#hop === undefined) return;
    this.#registered = false;
    let cancel = (): void => {};
    const limit = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(UNREGISTER_MS, resolve);
    });
    await Promise.race([this.#exchange(this.#hop, 0).catch(() => {}), limit]);
    cancel();
  }

  /** The connection to the registrar is gone: calls cannot reach us until it is back. */
  connectionClosed(connection: StreamConnection): void {
    const hop = this.#hop;
    if (!this.#isRunning || !this.#registered || hop === undefined) return;
    if (hop.protocol === connection.protocol && samePlace(hop, connection)) this.#later(1_000);
  }

  async #register(): Promise<void> {
    const outcome = await this.#tryPlaces();
    if (!this.#isRunning) return;
    if ('problem' in outcome) {
      this.#hop = undefined;
      this.#failed(outcome.problem, RETRY_FIRST_MS, RETRY_LONGEST_MS);
      return;
    }
    const { response, hop } = outcome;
    const { status } = response;
    if (status < 300) {
      this.#hop = hop;
      this.#succeeded(response, hop);
      return;
    }
    const retryAfter = parseNumber(response.headers.get('retry-after')?.split(/[;(]/)[0] ?? '', 86_400);
    if (status >= 500 && status < 600) {
      this.#failed(`The registrar failed (${status}).`, RETRY_FIRST_MS, RETRY_LONGEST_MS, retryAfter);
      return;
    }
    const isLogin = status === 401 || status === 403 || status === 407;
    const problem = isLogin
      ? `The registrar refused the user name or password (${status}).`
      : `The registrar refused the registration (${status}).`;
    this.#options.digest.forget();
    this.#failed(problem, REFUSED_FIRST_MS, REFUSED_LONGEST_MS, retryAfter);
  }

  /** One hop after the other until one answers (RFC 3263 section 4.3). */
  async #tryPlaces(): Promise<Outcome> {
    try {
      // The hop that accepted us last stays first.
      const found = await this.#options.resolve();
      const current = found.find((hop) => this.#hop !== undefined && samePlace(hop, this.#hop));
      this.#hops = current === undefined ? found : [current, ...found.filter((hop) => hop !== current)];
      this.#options.onHops(this.#hops);
    } catch {
      return { problem: `The name of the registrar, ${this.#options.host}, leads nowhere.` };
    }
    let problem = '';
    for (const hop of this.#hops) {
      if (!this.#isRunning) break;
      try {
        return { response: await this.#exchange(hop, this.#expires), hop };
      } catch (error) {
        problem = error instanceof Error ? sentenceOf(error) : 'no answer';
      }
    }
    return { problem: `The registrar cannot be reached (${problem}).` };
  }

  /** REGISTER, repeated at most once for a challenge and once for a longer interval. @throws Error on no answer */
  async #exchange(hop: Hop, expires: number): Promise<ReceivedResponse> {
    const { digest } = this.#options;
    let wanted = expires;
    for (;;) {
      const request = await this.#request(hop, wanted);
      digest.sign(request);
      const response = await this.#send(request, hop);
      const { status } = response;
      if ((status === 401 || status === 407) && digest.take(response)) continue;
      const least =
        status === 423 ? parseNumber(response.headers.get('min-expires') ?? '', MAX_EXPIRES) : undefined;
      if (least !== undefined && least > wanted && expires > 0) {
        this.#expires = wanted = least;
        continue;
      }
      if (status < 300) digest.accepted();
      return response;
    }
  }

  async #request(hop: Hop, expires: number): Promise<SipRequest> {
    const { host, port, username } = this.#options;
    const registrar = sipUri('', host, port);
    const own = { displayName: '', uri: sipUri(username, host), params: new Map<string, string>() };
    const headers = Headers.of([
      ['Max-Forwards', '70'],
      ['From', formatNameAddr({ ...own, params: new Map([['tag', this.#tag]]) })],
      ['To', formatNameAddr(own)],
      ['Call-ID', this.#callId],
      ['CSeq', `${++this.#cseq} REGISTER`],
      ['Contact', `${await this.#options.contact(hop)};expires=${expires}`],
      ['Expires', String(expires)],
    ]);
    this.#options.describe(headers, 'request');
    return { kind: 'request', method: 'REGISTER', uri: formatUri(registrar), headers, body: NO_BODY };
  }

  #send(request: SipRequest, hop: Hop): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      const handlers: ClientHandlers = {
        onResponse: (response) => {
          if (response.status >= 200) resolve(response);
        },
        onFailure: (_cause, problem) => reject(new Error(problem)),
      };
      this.#options.layer.request(request, hop, handlers, { use: 'registration' });
    });
  }

  #succeeded(response: ReceivedResponse, hop: Hop): void {
    this.#failures = 0;
    this.#options.onHops([hop, ...this.#hops.filter((other) => other !== hop)]);
    this.#later(grantedSeconds(response, this.#expires) * 1_000 * REFRESH);
    this.#keepAlive(hop);
    this.#tell(true, null);
  }

  #failed(problem: string, firstMs: number, longestMs: number, retryAfter = 0): void {
    const wait = doubled(this.#failures++, firstMs, longestMs);
    this.#cancelKeepAlive();
    // Between half and the whole, so that the panels of a house do not all come back at once.
    this.#later(Math.max(wait * (0.5 + this.#options.random() / 2), retryAfter * 1_000));
    this.#tell(false, problem);
  }

  #later(milliseconds: number): void {
    this.#cancelNext();
    this.#isWaiting = true;
    this.#cancelNext = this.#options.clock.after(milliseconds, () => {
      this.#isWaiting = false;
      void this.#register();
    });
  }

  #keepAlive(hop: Hop): void {
    this.#cancelKeepAlive();
    const every = KEEPALIVE_MS[hop.protocol] * (0.8 + 0.2 * this.#options.random());
    this.#cancelKeepAlive = this.#options.clock.after(every, () => {
      this.#options.keepAlive(hop);
      this.#keepAlive(hop);
    });
  }

  #tell(registered: boolean, lastError: string | null): void {
    if (this.#registered === registered && this.#lastError === lastError) return;
    this.#registered = registered;
    this.#lastError = lastError;
    this.#options.onChange(registered, lastError);
  }
}

/** OpenSSL says `<thread>:error:<code>:SSL routines:<function>:<reason>:<file>:<line>:` and a line break: the reason is for people. */
export function sentenceOf({ message }: Error): string {
  const [, reason] = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/i.exec(message) ?? [];
  return reason === undefined ? message.replaceAll(/\s+/g, ' ').trim() : `TLS: ${reason}`;
}

/** Section 10.2.4: the time at our Contact, else that of the Expires header, else what we requested. */
function grantedSeconds(response: ReceivedResponse, asked: number): number {
  const contacts = readableNameAddrs(response.headers.all('contact'));
  const texts = contacts.map(({ params }) => params.get('expires') ?? '');
  const granted = [...texts, response.headers.get('expires') ?? ''].flatMap(
    (text) => parseNumber(text, MAX_EXPIRES) ?? [],
  );
  // Contacts of other devices are listed too; the shortest time is safe for all.
  const least = Math.min(asked, ...granted.filter((seconds) => seconds > 0));
  return Math.max(least, 5);
}
