import type { Clock } from '../../platform/clock.ts';
import { formatNameAddr } from './message/fields.ts';
import { Headers } from './message/headers.ts';
import { NO_BODY, type SipRequest } from './message/message.ts';
import { formatUri, type SipUri, sipUri } from './message/uri.ts';
import type { Routes } from './routes.ts';
import { newTag, type TransactionLayer } from './transaction/layer.ts';
import type { Hop } from './transport/hop.ts';
import type { Transport } from './transport/transport.ts';

const PING_MS = 2_000;

interface PingParts {
  readonly clock: Clock;
  readonly layer: TransactionLayer;
  readonly routes: Routes;
  readonly transport: Transport;
  readonly describe: (headers: Headers, kind: 'request') => void;
}

/** Asks other devices whether they are reachable (RFC 3261 section 11). */
export class Pings {
  readonly #parts: PingParts;
  /** Functions that end the pings under way. */
  readonly #underWay = new Set<() => void>();
  /** Addresses from which an answer may come. */
  readonly #hosts: string[] = [];
  #isRunning = false;

  constructor(parts: PingParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#isRunning = true;
  }

  stop(): void {
    this.#isRunning = false;
    for (const giveUp of this.#underWay) giveUp();
  }

  /** Whether an answer may come from this address. */
  expects(address: string): boolean {
    return this.#hosts.includes(address);
  }

  /** Sends OPTIONS over UDP. @returns whether a device answers within two seconds; never throws */
  async ping(host: string, port: number): Promise<boolean> {
    const { clock, layer, routes } = this.#parts;
    const uri = sipUri('', host, port);
    let transaction: { end(): void } | undefined;
    let giveUp = (): void => {};
    let cancel = (): void => {};
    this.#hosts.push(host);
    try {
      const hop = (await routes.hopsTo(uri))[0]!;
      const request = await this.#request(uri, hop);
      if (!this.#isRunning) return false;
      return await new Promise<boolean>((resolve) => {
        giveUp = () => resolve(false);
        this.#underWay.add(giveUp);
        cancel = clock.after(PING_MS, giveUp);
        const handlers = { onResponse: () => resolve(true), onFailure: giveUp };
        transaction = layer.request(request, hop, handlers, { use: 'ping' });
      });
    } catch {
      return false;
    } finally {
      cancel();
      transaction?.end();
      this.#underWay.delete(giveUp);
      this.#hosts.splice(this.#hosts.indexOf(host), 1);
    }
  }

  async #request(uri: SipUri, hop: Hop): Promise<SipRequest> {
    const { routes, transport } = this.#parts;
    const address = await transport.localAddress(hop.host);
    const own = {
      displayName: '',
      uri: sipUri(routes.username, address),
      params: new Map([['tag', newTag()]]),
    };
    const headers = Headers.of([
      ['Max-Forwards', '70'],
      ['From', formatNameAddr(own)],
      ['To', `<${formatUri(uri)}>`],
      ['Call-ID', newTag()],
      ['CSeq', '1 OPTIONS'],
      ['Contact', await routes.contact(hop)],
      ['Accept', 'application/sdp'],
    ]);
    this.#parts.describe(headers, 'request');
    return { kind: 'request', method: 'OPTIONS', uri: formatUri(uri), headers, body: NO_BODY };
  }
}
