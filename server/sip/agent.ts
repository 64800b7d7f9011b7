import type { Clock } from '../observe/clock.ts';
import { isLocalAddress } from '../observe/localAddress.ts';
import type { Logger } from '../observe/log.ts';
import type {
  CallHeaders,
  CallTarget,
  IncomingCall,
  OutgoingCall,
  Signalling,
} from '../services/sip/driver.ts';
import { RateLimits } from './admission.ts';
import type { Call } from './call/call.ts';
import type { CallCore } from './call/callCore.ts';
import { OutgoingCall as PlacedCall } from './call/outgoingCall.ts';
import { Dialog } from './dialog/dialog.ts';
import type { Headers } from './message/headers.ts';
import type { ReceivedResponse } from './message/message.ts';
import type { Parsed } from './message/parse.ts';
import { OwnTimers } from './ownTimers.ts';
import { Pings } from './pings.ts';
import { type RegistrarAccount, RegistrarServer } from './registrarServer.ts';
import { Registration } from './registration.ts';
import { ALLOW, EXTENSIONS, MAX_CALLS, Requests } from './requests.ts';
import { Routes } from './routes.ts';
import { TransactionLayer } from './transaction/layer.ts';
import type { Protocol, Source } from './transport/hop.ts';
import type { Resolver } from './transport/resolve.ts';
import type { TlsIdentity, TlsTrust } from './transport/tlsTrust.ts';
import { Transport } from './transport/transport.ts';

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
  /** With a certificate of its own the panel takes TLS connections on the port after `port`. Asked for at the start. */
  readonly identity?: (() => Promise<TlsIdentity>) | undefined;
  readonly limits?: RateLimits;
}

/** SIP as the intercom uses it: registration, calls in both directions, and silence to everybody else. */
export class SipAgent implements Signalling {
  onIncoming: (call: IncomingCall) => void = (call) => void call.reject(480);
  onRegistration: (registered: boolean, lastError: string | null) => void = () => {};
  readonly #options: SipAgentOptions;
  readonly #clock: OwnTimers;
  readonly #random: () => number;
  readonly #transport: Transport;
  readonly #layer: TransactionLayer;
  readonly #core: CallCore;
  readonly #requests: Requests;
  readonly #registrarServer: RegistrarServer | undefined;
  readonly #calls = new Set<Call>();
  readonly #routes: Routes;
  readonly #pings: Pings;
  #registration: Registration | undefined;
  #isRunning = false;
  #endTrust = (): void => {};

  constructor(options: SipAgentOptions) {
    this.#options = options;
    const { registrarAccounts } = options;
    const clock = new OwnTimers(options.clock);
    this.#clock = clock;
    this.#random = options.random ?? Math.random;
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
    this.#routes = new Routes(options, this.#transport, this.#registrarServer);
    this.#pings = new Pings({
      clock,
      layer: this.#layer,
      routes: this.#routes,
      transport: this.#transport,
      describe: (headers, kind) => this.#describe(headers, kind),
    });
    this.#core = this.#makeCore();
    this.#requests = new Requests({
      core: this.#core,
      calls: this.#calls,
      limits: options.limits ?? new RateLimits(clock),
      transport: this.#transport,
      registrarServer: this.#registrarServer,
      mayCall: (address) => this.#mayCall(address),
      isRegistrar: (address) => this.#routes.isRegistrar(address),
      onIncoming: (call) => this.onIncoming(call),
    });
  }

  get registered(): boolean {
    return this.#registration?.registered ?? false;
  }

  /** The port it listens on, for UDP and TCP. */
  get port(): number {
    return this.#transport.portOf('udp');
  }

  /** The port on which it takes TLS connections; undefined where it takes none. */
  get tlsPort(): number | undefined {
    return this.#options.identity === undefined ? undefined : this.#transport.portOf('tls');
  }

  /** Number of calls and transactions, for leak checks. */
  get size(): number {
    return this.#calls.size + this.#layer.size;
  }

  /** @throws FaceplateError PORT_BUSY; INVALID_REQUEST for a registrar, an address or a port that cannot be; STORAGE_FULL */
  async start(): Promise<void> {
    const registrar = this.#routes.registrar();
    await this.#transport.start();
    this.#isRunning = true;
    this.#pings.start();
    if (registrar === undefined) return;
    this.#registration = new Registration({
      ...registrar,
      clock: this.#clock,
      layer: this.#layer,
      random: this.#random,
      username: this.#routes.username,
      digest: this.#routes.newDigest(),
      resolve: () => this.#routes.resolve({ ...registrar, protocol: this.#options.transport }),
      contact: (hop) => this.#routes.contact(hop),
      describe: (headers, kind) => this.#describe(headers, kind),
      keepAlive: (hop) => this.#transport.keepAlive(hop),
      onHops: (hops) => {
        this.#routes.registrarHops = hops;
      },
      onChange: (registered, lastError) => this.onRegistration(registered, lastError),
    });
    this.#registration.start();
    this.#endTrust = this.#options.trust?.onTrusted(() => this.#registration?.tryNow()) ?? this.#endTrust;
  }

  async stop(): Promise<void> {
    this.#endTrust();
    this.#pings.stop();
    if (this.#isRunning) {
      this.#isRunning = false;
      // Each of them is bounded in time by itself.
      const goodbyes = [...this.#calls].map((call) => call.hangup().catch(() => {}));
      await Promise.all([...goodbyes, this.#registration?.stop()]);
    }
    this.#registration = undefined;
    this.#routes.registrarHops = [];
    this.#layer.stop();
    this.#calls.clear();
    await this.#transport.stop();
    this.#clock.cancelAll();
  }

  call(target: CallTarget, sdp: string, headers: CallHeaders = {}): OutgoingCall {
    const call = new PlacedCall(this.#core, this.#routes.plan(target, sdp, headers));
    this.#calls.add(call);
    // Its caller first sets the handlers.
    setImmediate(() => void call.start(this.#isRunning && this.#calls.size <= MAX_CALLS));
    return call;
  }

  isSecure(target: CallTarget): boolean {
    return this.#routes.isSecure(target);
  }

  hostOf(target: CallTarget): string | undefined {
    if (target.kind === 'address') return target.host;
    return this.#registrarServer?.find(target.extension)?.hop.host ?? this.#routes.registrarHops[0]?.host;
  }

  ping(host: string, port: number): Promise<boolean> {
    return this.#pings.ping(host, port);
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
      this.#pings.expects(address) ||
      [...this.#calls].some((call) => call.addresses.has(address)) ||
      // Devices that want to register are not known before they have.
      (this.#registrarServer !== undefined && isLocalAddress(address))
    );
  }

  #mayCall(address: string): boolean {
    return (
      this.#options.mayCall(address) ||
      this.#routes.isRegistrar(address) ||
      this.#registrarServer?.hasAddress(address) === true
    );
  }

  #makeCore(): CallCore {
    return {
      clock: this.#clock,
      layer: this.#layer,
      random: () => this.#random(),
      hopsTo: (uri) => this.#routes.hopsTo(uri),
      contact: (hop) => this.#routes.contact(hop),
      localAddress: (hop) => this.#transport.localAddress(hop.host),
      digestFor: (hop) => this.#routes.digestFor(hop),
      mayReach: (address) => this.#mayCall(address),
      describe: (headers, kind) => this.#describe(headers, kind),
      decline: (response) => void this.#decline(response),
      release: (call) => this.#calls.delete(call),
    };
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
      const hop = (await this.#routes.hopsTo(uri))[0]!;
      await this.#layer.acknowledge(dialog.request('ACK', response.core.cseq.number), hop);
      const ignore = (): void => {};
      this.#layer.request(dialog.request('BYE'), hop, { onResponse: ignore, onFailure: ignore });
    } catch {
      // Its place cannot be found; the far end gives up by itself.
    }
  }
}
