import type { CallHeaders } from '../../ports.ts';
import type { DigestClient } from '../auth/digest.ts';
import { MIN_SE, minSeOf, SESSION_EXPIRES } from '../dialog/dialog.ts';
import { formatNameAddr, readableNameAddrs } from '../message/fields.ts';
import { Headers } from '../message/headers.ts';
import { NO_BODY, type ReceivedResponse, type SipRequest, withBody } from '../message/message.ts';
import { formatUri, type SipUri } from '../message/uri.ts';
import type { Hop } from '../transport/hop.ts';
import type { CallCore } from './callCore.ts';
import { writeCallHeaders } from './callHeaders.ts';

/** The parameters of a call. */
export interface CallPlan {
  readonly uri: SipUri;
  /** Our display name and address. */
  readonly from: { readonly displayName: string; readonly uri: (localAddress: string) => SipUri };
  /** Hops to try, best first. @throws Error if there is none */
  readonly hops: () => Promise<readonly Hop[]>;
  readonly viaRegistrar: boolean;
  readonly sdp: string;
  readonly headers: CallHeaders;
}

/** Identifies one INVITE of a call. */
interface InviteIds {
  readonly callId: string;
  readonly localTag: string;
  readonly cseq: number;
}

/**
 * The destinations and contents of a call's INVITEs. After a refusal there may be another one: with credentials, with a
 * longer session, or to another hop.
 */
export class Invitation {
  /** Whether the call goes through the registrar; a redirect may lead away from it. */
  viaRegistrar: boolean;
  readonly #core: CallCore;
  readonly #plan: CallPlan;
  #uri: SipUri;
  #hops: readonly Hop[] = [];
  #minSe = MIN_SE;
  #digest: DigestClient | undefined;
  #isRedirected = false;

  constructor(core: CallCore, plan: CallPlan) {
    this.#core = core;
    this.#plan = plan;
    this.#uri = plan.uri;
    this.viaRegistrar = plan.viaRegistrar;
  }

  /** The current hop. */
  get hop(): Hop | undefined {
    return this.#hops[0];
  }

  /** Section 8.1.1.8: a redirect may lead to a SIPS address. */
  get isSips(): boolean {
    return this.#uri.scheme === 'sips';
  }

  /** Resolves where to call. @throws Error if the name does not resolve */
  async find(): Promise<void> {
    this.#hops = await this.#plan.hops();
  }

  /** RFC 3263 section 4.3: moves on to the next hop. @returns whether there is one */
  tryNext(): boolean {
    this.#hops = this.#hops.slice(1);
    return this.#hops.length > 0;
  }

  /** @throws Error of the system if there is no route to the hop. */
  async request(hop: Hop, { callId, localTag, cseq }: InviteIds): Promise<SipRequest> {
    const { from, headers: wanted, sdp } = this.#plan;
    const address = await this.#core.localAddress(hop);
    const own = {
      displayName: from.displayName,
      uri: from.uri(address),
      params: new Map([['tag', localTag]]),
    };
    const headers = Headers.of([
      ['Max-Forwards', '70'],
      ['From', formatNameAddr(own)],
      ['To', `<${formatUri(this.#uri)}>`],
      ['Call-ID', callId],
      ['CSeq', `${cseq} INVITE`],
      ['Contact', await this.#core.contact(hop, this.isSips)],
      ['Session-Expires', String(Math.max(SESSION_EXPIRES, this.#minSe))],
      ['Min-SE', String(this.#minSe)],
    ]);
    this.#core.describe(headers, 'request');
    writeCallHeaders(headers, wanted, address);
    const bare = {
      kind: 'request',
      method: 'INVITE',
      uri: formatUri(this.#uri),
      headers,
      body: NO_BODY,
    } as const;
    const request = withBody(bare, 'application/sdp', sdp);
    if (!this.viaRegistrar) await this.#core.prove(request, hop);
    if (this.#core.digestFor(hop) !== undefined) this.#digest?.sign(request);
    return request;
  }

  /** Handles a refusal. @param hop where the INVITE went @returns whether another INVITE may succeed */
  async learns(response: ReceivedResponse, hop: Hop): Promise<boolean> {
    const { status } = response;
    if (status === 401 || status === 407) return this.#takesChallenge(response, hop);
    if (status === 422) return this.#takesInterval(response);
    if (status >= 300 && status < 400) return this.#takesRedirection(response);
    return status === 503 && this.tryNext();
  }

  /** The call was accepted. */
  accepted(): void {
    this.#digest?.accepted();
  }

  /** Credentials for the configured registrar only: any other server could attack the password offline. */
  #takesChallenge(response: ReceivedResponse, hop: Hop): boolean {
    const client = this.viaRegistrar ? this.#core.digestFor(hop) : undefined;
    this.#digest ??= client;
    return client !== undefined && this.#digest!.take(response);
  }

  /** RFC 4028 section 7.4. */
  #takesInterval(response: ReceivedResponse): boolean {
    const least = minSeOf(response.headers);
    if (least === undefined || least <= this.#minSe || least > 86_400) return false;
    this.#minSe = least;
    return true;
  }

  /**
   * Section 8.1.3.4, at most once, never to a hop that we may not call, and not from TLS to a hop where its keys could
   * be read.
   */
  async #takesRedirection(response: ReceivedResponse): Promise<boolean> {
    const uri = readableNameAddrs(response.headers.all('contact'))[0]?.uri;
    if (this.#isRedirected || uri === undefined || uri.scheme === 'other') return false;
    this.#isRedirected = true;
    const found = await this.#core.hopsTo(uri).catch(() => []);
    const needsTls = this.hop?.protocol === 'tls';
    const hops = found.filter(
      ({ host, protocol }) => this.#core.mayReach(host) && (!needsTls || protocol === 'tls'),
    );
    if (hops.length === 0) return false;
    this.#hops = hops;
    this.#digest = undefined;
    this.viaRegistrar = hops.some((hop) => this.#core.digestFor(hop) !== undefined) && this.viaRegistrar;
    this.#uri = { ...uri, headers: '' };
    return true;
  }
}
