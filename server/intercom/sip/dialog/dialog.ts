import type { Clock } from '../../../platform/clock.ts';
import { parseNameAddrs, readableNameAddrs } from '../message/fields.ts';
import { Headers } from '../message/headers.ts';
import { NO_BODY, type ReceivedRequest, type ReceivedResponse, type SipRequest } from '../message/message.ts';
import { type Params, parseNumber, parseParams } from '../message/syntax.ts';
import { formatUri, type SipUri, sipUri, type Uri, userOf } from '../message/uri.ts';

interface Place {
  readonly host: string;
  readonly port: number;
}

interface DialogStart {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
  /** From or To as in the message, with its tag. */
  readonly local: string;
  readonly remote: string;
  readonly target: Uri;
  readonly routes: readonly Uri[];
  readonly localSeq: number;
  readonly remoteSeq: number | undefined;
}

/** The state that two agents share beyond one transaction (RFC 3261 section 12). */
export class Dialog {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
  readonly #local: string;
  readonly #remote: string;
  readonly #routes: readonly Uri[];
  #target: Uri;
  #localSeq: number;
  #remoteSeq: number | undefined;

  constructor(start: DialogStart) {
    this.callId = start.callId;
    this.localTag = start.localTag;
    this.remoteTag = start.remoteTag;
    this.#local = start.local;
    this.#remote = start.remote;
    this.#routes = start.routes;
    this.#target = start.target;
    this.#localSeq = start.localSeq;
    this.#remoteSeq = start.remoteSeq;
  }

  /**
   * The caller's dialog, from the response that creates it (section 12.1.2).
   * @param localSeq number of our last request
   */
  static ofResponse(response: ReceivedResponse, localSeq = response.core.cseq.number): Dialog | undefined {
    const { from, to, callId } = response.core;
    const routes = parseNameAddrs(response.headers.all('record-route'));
    const contact = readableNameAddrs(response.headers.all('contact'))[0];
    if (routes === undefined) return undefined;
    return new Dialog({
      callId,
      localTag: from.params.get('tag') ?? '',
      remoteTag: to.params.get('tag') ?? '',
      local: response.headers.get('from')!,
      remote: response.headers.get('to')!,
      // A peer that wrongly sends no Contact is still at the address that was called.
      target: contact?.uri ?? to.uri,
      routes: routes.map(({ uri }) => uri).toReversed(),
      localSeq,
      remoteSeq: undefined,
    });
  }

  /**
   * The callee's dialog (section 12.1.1).
   * @param source where the request came from: a caller whose Contact cannot be read is still there
   * @returns undefined without a Contact, or with `*` for one
   */
  static ofRequest(request: ReceivedRequest, localTag: string, source: Place): Dialog | undefined {
    const { from, callId, cseq } = request.core;
    const routes = parseNameAddrs(request.headers.all('record-route'));
    const contacts = request.headers.all('contact');
    if (routes === undefined || contacts.length === 0 || contacts[0] === '*') return undefined;
    const target = readableNameAddrs(contacts)[0]?.uri ?? sipUri(userOf(from.uri), source.host, source.port);
    return new Dialog({
      callId,
      localTag,
      remoteTag: from.params.get('tag') ?? '',
      local: `${request.headers.get('to')};tag=${localTag}`,
      remote: request.headers.get('from')!,
      target,
      routes: routes.map(({ uri }) => uri),
      localSeq: 0,
      remoteSeq: cseq.number,
    });
  }

  /** Whether a request begins a dialog with SIPS addresses (section 12.1.1). */
  static isSips(request: ReceivedRequest): boolean {
    const [record] = parseNameAddrs(request.headers.all('record-route')) ?? [];
    const next = record ?? readableNameAddrs(request.headers.all('contact'))[0];
    return /^sips:/i.test(request.uri) || next?.uri.scheme === 'sips';
  }

  /** The target of the next request: the first route, else the remote party. Undefined for a URI that is not SIP. */
  get nextHop(): SipUri | undefined {
    const uri = this.#routes[0] ?? this.#target;
    return uri.scheme === 'other' ? undefined : uri;
  }

  /** SIP addresses that requests of this dialog may come from. */
  get hosts(): string[] {
    return [this.#target, ...this.#routes].flatMap((uri) => (uri.scheme === 'other' ? [] : [uri.host]));
  }

  /** Our request (section 12.2.1.1), without Via and Contact. ACK has the number of the INVITE. */
  request(method: string, cseq?: number): SipRequest {
    const number = cseq ?? ++this.#localSeq;
    const [first, ...others] = this.#routes;
    // A first route without lr becomes the Request-URI.
    const isStrict = first !== undefined && first.scheme !== 'other' && !first.params.has('lr');
    const routes = isStrict ? [...others, this.#target] : this.#routes;
    const headers = new Headers();
    for (const route of routes) headers.add('route', `<${formatUri(route)}>`);
    headers.add('max-forwards', '70');
    headers.add('from', this.#local);
    headers.add('to', this.#remote);
    headers.add('call-id', this.callId);
    headers.add('cseq', `${number} ${method}`);
    return {
      kind: 'request',
      method,
      uri: formatUri(isStrict ? first : this.#target),
      headers,
      body: NO_BODY,
    };
  }

  /** @returns false for a request that is out of order (section 12.2.2). */
  takes(request: ReceivedRequest): boolean {
    const { number } = request.core.cseq;
    if (this.#remoteSeq !== undefined && number <= this.#remoteSeq) return false;
    this.#remoteSeq = number;
    return true;
  }

  /** The remote party has a new address: target refresh (section 12.2). */
  refresh(message: ReceivedRequest | ReceivedResponse): void {
    const contact = readableNameAddrs(message.headers.all('contact'))[0];
    if (contact !== undefined && contact.uri.scheme !== 'other') this.#target = contact.uri;
  }
}

/** RFC 4028 section 5: the shortest interval, in seconds. */
export const MIN_SE = 90;
/** What we request as a caller, in seconds. */
export const SESSION_EXPIRES = 1_800;
const MAX_SE = 2 ** 31 - 1;

interface SessionExpires {
  /** Seconds. */
  readonly seconds: number;
  readonly refresher: 'uac' | 'uas' | undefined;
}

/** @returns undefined if the header is missing or malformed. */
export function sessionExpiresOf(headers: Headers): SessionExpires | undefined {
  const value = headers.get('session-expires');
  if (value === undefined) return undefined;
  const [text, ...rest] = value.split(';');
  const seconds = parseNumber(text!, MAX_SE);
  const params: Params = parseParams(rest.join(';')) ?? new Map();
  const refresher = params.get('refresher')?.toLowerCase();
  if (seconds === undefined) return undefined;
  return { seconds, refresher: refresher === 'uac' || refresher === 'uas' ? refresher : undefined };
}

/** @returns the header's number in seconds; undefined if there is none. */
export function minSeOf(headers: Headers): number | undefined {
  const value = headers.get('min-se');
  return value === undefined ? undefined : parseNumber(value.split(';')[0]!, MAX_SE);
}

/** Refreshes a session, or detects that the other end does not (RFC 4028 section 10). */
export class SessionTimer {
  readonly #clock: Clock;
  readonly #onRefresh: () => void;
  readonly #onExpired: () => void;
  #cancel = (): void => {};

  constructor(clock: Clock, events: { onRefresh: () => void; onExpired: () => void }) {
    this.#clock = clock;
    this.#onRefresh = events.onRefresh;
    this.#onExpired = events.onExpired;
  }

  /**
   * A session of this length starts now. The refresher acts after half of it; the other end ends it shortly before it
   * expires.
   */
  restart(seconds: number, weRefresh: boolean): void {
    this.#cancel();
    const session = Math.max(seconds, MIN_SE);
    const expiry = session - Math.min(32, session / 3);
    const end = this.#after(expiry * 1_000, this.#onExpired);
    const refresh = weRefresh ? this.#after((session / 2) * 1_000, this.#onRefresh) : (): void => {};
    this.#cancel = () => {
      end();
      refresh();
    };
  }

  stop(): void {
    this.#cancel();
    this.#cancel = () => {};
  }

  /** Node's timers are limited to 24 days. */
  #after(milliseconds: number, run: () => void): () => void {
    return this.#clock.after(Math.min(milliseconds, 2 ** 31 - 1), run);
  }
}
