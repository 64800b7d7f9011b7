import { FaceplateError } from '../contract/errors.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/log.ts';
import type {
  CallHeaders,
  CallTarget,
  IncomingCall,
  OutgoingCall,
  Signalling,
} from '../services/sip/driver.ts';
import { isLocalAddress, RateLimits } from './admission.ts';
import { DigestClient } from './auth/digestClient.ts';
import type { Call } from './call/call.ts';
import type { CallCore } from './call/callCore.ts';
import { type CallPlan, OutgoingCall as PlacedCall } from './call/outgoingCall.ts';
import { Dialog } from './dialog/dialog.ts';
import { formatNameAddr } from './message/fields.ts';
import { Headers } from './message/headers.ts';
import { NO_BODY, type ReceivedResponse, type SipRequest } from './message/message.ts';
import type { Parsed } from './message/parse.ts';
import { formatUri, parseHostPort, type SipUri, sipUri } from './message/uri.ts';
import { OwnTimers } from './ownTimers.ts';
import { type RegistrarAccount, RegistrarServer } from './registrarServer.ts';
import { Registration } from './registration.ts';
import { ALLOW, EXTENSIONS, MAX_CALLS, Requests } from './requests.ts';
import { newTag, TransactionLayer } from './transaction/layer.ts';
import { type Hop, type Protocol, type Source, samePlace } from './transport/hop.ts';
import { type Resolver, resolveHops, systemResolver } from './transport/resolve.ts';
import type { TlsIdentity, TlsTrust } from './transport/tlsTrust.ts';
import { Transport } from './transport/transport.ts';

const PING_MS = 2_000;
const DEFAULT_USER = 'panel';

export interface SipAgentOptions {
  /** Address to listen on; 0.0.0.0 or :: for all. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** User part of our address, and of the login. */
  readonly username: string;
  readonly deviceName: string;
  readonly version: string;
  /** Name or address, port optional; empty for none. */
  readonly registrar: string;
  readonly password: string;
  /** How the registrar is reached, and other devices where there is none. */
  readonly transport: Protocol;
  /** Accounts of the built-in registrar; without them it is off. */
  readonly registrarAccounts?: readonly RegistrarAccount[] | undefined;
  /** Whether this address may call. The registrar and devices registered here always may. */
  readonly mayCall: (address: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 up to, but not including, 1. */
  readonly random?: () => number;
  readonly resolver?: Resolver;
  readonly trust?: TlsTrust | undefined;
  /** With a certificate of its own the panel takes TLS connections on the port after `port`. */
  readonly identity?: TlsIdentity | undefined;
  readonly limits?: RateLimits;
}

/** SIP as the intercom uses it: registration, calls in both directions, and silence to everybody else. */
export class SipAgent implements Signalling {
  onIncoming: (call: IncomingCall) => void = (call) => void call.reject(480);
  onRegistration: (registered: boolean, lastError: string | null) => void = () => {};
  readonly #options: SipAgentOptions;
  readonly #clock: OwnTimers;
  readonly #random: () => number;
  readonly #username: string;
  readonly #transport: Transport;
  readonly #layer: TransactionLayer;
  readonly #core: CallCore;
  readonly #requests: Requests;
  readonly #registrarServer: RegistrarServer | undefined;
  readonly #calls = new Set<Call>();
  /** Ends each OPTIONS that is under way. */
  readonly #pings = new Set<() => void>();
  /** Addresses from which an answer to them may come. */
  readonly #pinged: string[] = [];
  #registrarHops: readonly Hop[] = [];
  #registration: Registration | undefined;
  #isRunning = false;

  constructor(options: SipAgentOptions) {
    this.#options = options;
    const { registrarAccounts } = options;
    const clock = new OwnTimers(options.clock);
    this.#clock = clock;
    this.#random = options.random ?? Math.random;
    this.#username = options.username || DEFAULT_USER;
    this.#registrarServer =
      registrarAccounts === undefined ? undefined : new RegistrarServer(clock, registrarAccounts);
    this.#transport = new Transport({
      ...options,
      clock,
      accepts: (address) => this.#accepts(address),
      onMessage: (message, source) => this.#receive(message, source),
      onConnectionClosed: (connection) => {
        this.#layer.connectionClosed(connection);
        this.#registration?.connectionClosed(connection);
      },
    });
    this.#layer = new TransactionLayer({
      clock,
      transport: this.#transport,
      events: {
        onRequest: (transaction) => this.#requests.onRequest(transaction),
        onAck: (request, source) => this.#requests.onAck(request, source),
        onStrayResponse: (response) => void this.#decline(response),
      },
    });
    this.#core = this.#makeCore();
    this.#requests = new Requests({
      core: this.#core,
      calls: this.#calls,
      limits: options.limits ?? new RateLimits(clock),
      transport: this.#transport,
      registrarServer: this.#registrarServer,
      mayCall: (address) => this.#mayCall(address),
      isRegistrar: (address) => this.#isRegistrar(address),
      onIncoming: (call) => this.onIncoming(call),
    });
  }

  get registered(): boolean {
    return this.#registration?.registered ?? false;
  }

  /** The port it listens on, for UDP and TCP; TLS has the next one. */
  get port(): number {
    return this.#transport.portOf('udp');
  }

  /** Number of calls and transactions, for leak checks. */
  get size(): number {
    return this.#calls.size + this.#layer.size;
  }

  /** @throws FaceplateError PORT_BUSY; INVALID_REQUEST for a registrar or an address that cannot be */
  async start(): Promise<void> {
    const registrar = this.#registrar();
    await this.#transport.start();
    this.#isRunning = true;
    if (registrar === undefined) return;
    this.#registration = new Registration({
      ...registrar,
      clock: this.#clock,
      layer: this.#layer,
      random: this.#random,
      username: this.#username,
      digest: this.#newDigest(),
      resolve: () => this.#resolve({ ...registrar, protocol: this.#options.transport }),
      contact: (hop) => this.#contact(hop),
      describe: (headers, kind) => this.#describe(headers, kind),
      keepAlive: (hop) => this.#transport.keepAlive(hop),
      onHops: (hops) => {
        this.#registrarHops = hops;
      },
      onChange: (registered, lastError) => this.onRegistration(registered, lastError),
    });
    this.#registration.start();
  }

  async stop(): Promise<void> {
    if (this.#isRunning) {
      this.#isRunning = false;
      // Each of them is bounded in time by itself.
      const goodbyes = [...this.#calls].map((call) => call.hangup().catch(() => {}));
      await Promise.all([...goodbyes, this.#registration?.stop()]);
    }
    this.#registration = undefined;
    this.#registrarHops = [];
    this.#layer.stop();
    this.#calls.clear();
    for (const giveUp of this.#pings) giveUp();
    await this.#transport.stop();
    this.#clock.cancelAll();
  }

  call(target: CallTarget, sdp: string, headers: CallHeaders = {}): OutgoingCall {
    const call = new PlacedCall(this.#core, this.#plan(target, sdp, headers));
    this.#calls.add(call);
    // Its caller first sets the handlers.
    setImmediate(() => void call.start(this.#isRunning && this.#calls.size <= MAX_CALLS));
    return call;
  }

  hostOf(target: CallTarget): string | undefined {
    if (target.kind === 'address') return target.host;
    return this.#registrarServer?.find(target.extension)?.hop.host ?? this.#waysToRegistrar()[0]?.host;
  }

  async ping(host: string, port: number): Promise<boolean> {
    const uri = sipUri('', host, port);
    let transaction: { end(): void } | undefined;
    let giveUp = (): void => {};
    let cancel = (): void => {};
    this.#pinged.push(host);
    try {
      const hop = (await this.#hopsTo(uri))[0]!;
      const request = await this.#optionsRequest(uri, hop);
      if (!this.#isRunning) return false;
      return await new Promise<boolean>((resolve) => {
        giveUp = () => resolve(false);
        this.#pings.add(giveUp);
        cancel = this.#clock.after(PING_MS, giveUp);
        transaction = this.#layer.request(request, hop, {
          onResponse: () => resolve(true),
          onFailure: giveUp,
        });
      });
    } catch {
      return false;
    } finally {
      cancel();
      transaction?.end();
      this.#pings.delete(giveUp);
      this.#pinged.splice(this.#pinged.indexOf(host), 1);
    }
  }

  async #optionsRequest(uri: SipUri, hop: Hop): Promise<SipRequest> {
    const address = await this.#transport.localAddress(hop.host);
    const own = {
      displayName: '',
      uri: sipUri(this.#username, address),
      params: new Map([['tag', newTag()]]),
    };
    const headers = Headers.of([
      ['Max-Forwards', '70'],
      ['From', formatNameAddr(own)],
      ['To', `<${formatUri(uri)}>`],
      ['Call-ID', newTag()],
      ['CSeq', '1 OPTIONS'],
      ['Contact', await this.#contact(hop)],
      ['Accept', 'application/sdp'],
    ]);
    this.#describe(headers, 'request');
    return { kind: 'request', method: 'OPTIONS', uri: formatUri(uri), headers, body: NO_BODY };
  }

  #receive(message: Parsed, source: Source): void {
    if (message.kind === 'response') this.#layer.receiveResponse(message, source);
    else if (message.kind === 'malformed') this.#requests.onMalformed(message, source);
    else this.#layer.receiveRequest(message, source);
  }

  /** Whether anything from this address is read: who may call, and who answers something of ours. */
  #accepts(address: string): boolean {
    return (
      this.#mayCall(address) ||
      this.#pinged.includes(address) ||
      [...this.#calls].some((call) => call.addresses.has(address)) ||
      // Devices that want to register are not known before they have.
      (this.#registrarServer !== undefined && isLocalAddress(address))
    );
  }

  #mayCall(address: string): boolean {
    return (
      this.#options.mayCall(address) ||
      this.#isRegistrar(address) ||
      this.#registrarServer?.hasAddress(address) === true
    );
  }

  #isRegistrar(address: string): boolean {
    return this.#registrarHops.some((hop) => hop.host === address);
  }

  #makeCore(): CallCore {
    return {
      clock: this.#clock,
      layer: this.#layer,
      random: () => this.#random(),
      hopsTo: (uri) => this.#hopsTo(uri),
      contact: (hop) => this.#contact(hop),
      localAddress: (hop) => this.#transport.localAddress(hop.host),
      digestFor: (hop) => this.#digestFor(hop),
      mayReach: (address) => this.#mayCall(address),
      describe: (headers, kind) => this.#describe(headers, kind),
      decline: (response) => void this.#decline(response),
      release: (call) => this.#calls.delete(call),
    };
  }

  /** @throws FaceplateError INVALID_REQUEST */
  #registrar(): { host: string; port: number | undefined } | undefined {
    const text = this.#options.registrar.trim();
    if (text === '') return undefined;
    const place = parseHostPort(text);
    if (place !== undefined) return place;
    const sentence =
      'sip.registrar has to be a name or an address, with :port where it is not the usual one.';
    throw new FaceplateError('INVALID_REQUEST', sentence, { field: 'sip.registrar' });
  }

  #plan(target: CallTarget, sdp: string, headers: CallHeaders): CallPlan {
    const { deviceName: displayName, transport, registrar: setting } = this.#options;
    const own = (address: string): SipUri => sipUri(this.#username, address, this.port);
    if (target.kind === 'address') {
      const protocol = setting === '' ? transport : 'udp';
      const uri = sipUri(
        target.user ?? '',
        target.host,
        target.port,
        protocol === 'udp' ? {} : { transport: protocol },
      );
      return {
        uri,
        from: { displayName, uri: own },
        hops: () => this.#hopsTo(uri),
        viaRegistrar: false,
        sdp,
        headers,
      };
    }
    const here = this.#registrarServer?.find(target.extension);
    if (here !== undefined) {
      const hops = async (): Promise<Hop[]> => [here.hop];
      return { uri: here.uri, from: { displayName, uri: own }, hops, viaRegistrar: false, sdp, headers };
    }
    const registrar = this.#registrar();
    return {
      uri: sipUri(target.extension, registrar?.host ?? 'localhost', registrar?.port),
      from: { displayName, uri: () => sipUri(this.#username, registrar?.host ?? 'localhost') },
      hops: async () => this.#waysToRegistrar(),
      viaRegistrar: true,
      sdp,
      headers,
    };
  }

  /** The place that has our registration first: it knows us. */
  #waysToRegistrar(): Hop[] {
    const current = this.#registration?.hop;
    const others = this.#registrarHops.filter((hop) => current === undefined || !samePlace(hop, current));
    return current === undefined ? others : [current, ...others];
  }

  async #hopsTo(uri: SipUri): Promise<Hop[]> {
    const named = uri.scheme === 'sips' ? 'tls' : uri.params.get('transport')?.toLowerCase();
    const protocol: Protocol = named === 'tcp' || named === 'tls' ? named : 'udp';
    const hops = await this.#resolve({ host: uri.host, port: uri.port, protocol });
    if (named !== undefined) return hops;
    // A route that names no transport but leads to the registrar takes the one that it is known by.
    return hops.map((hop) => this.#registrarHops.find((known) => samePlace(known, hop)) ?? hop);
  }

  #resolve(destination: { host: string; port: number | undefined; protocol: Protocol }): Promise<Hop[]> {
    return resolveHops(destination, this.#options.resolver ?? systemResolver, this.#random);
  }

  #newDigest(): DigestClient {
    return new DigestClient({ username: this.#username, password: this.#options.password });
  }

  /** Any other peer that asks for credentials could try passwords on our answer at leisure. */
  #digestFor(hop: Hop): DigestClient | undefined {
    const isRegistrar = this.#registrarHops.some((known) => samePlace(known, hop));
    return isRegistrar && this.#options.password !== '' ? this.#newDigest() : undefined;
  }

  async #contact(hop: Hop): Promise<string> {
    const address = await this.#transport.localAddress(hop.host);
    const params: Record<string, string> = hop.protocol === 'udp' ? {} : { transport: hop.protocol };
    return `<${formatUri(sipUri(this.#username, address, this.#transport.portOf(hop.protocol), params))}>`;
  }

  #describe(headers: Headers, kind: 'request' | 'response'): void {
    headers.add('allow', ALLOW);
    headers.add('supported', EXTENSIONS.join(', '));
    headers.add(kind === 'request' ? 'user-agent' : 'server', `Faceplate/${this.#options.version}`);
  }

  /** A second phone that was lifted, or one that was faster than our CANCEL (section 13.2.2.4). */
  async #decline(response: ReceivedResponse): Promise<void> {
    const dialog = Dialog.ofResponse(response);
    const uri = dialog?.nextHop;
    if (dialog === undefined || uri === undefined) return;
    try {
      const hop = (await this.#hopsTo(uri))[0]!;
      await this.#layer.acknowledge(dialog.request('ACK', response.core.cseq.number), hop);
      const ignore = (): void => {};
      this.#layer.request(dialog.request('BYE'), hop, { onResponse: ignore, onFailure: ignore });
    } catch {
      // Its place cannot be found; the far end gives up by itself.
    }
  }
}
