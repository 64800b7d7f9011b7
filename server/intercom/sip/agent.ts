import type { Clock } from '../../platform/clock.ts';
import { isLocalAddress } from '../../platform/net/addresses.ts';
import type { CallHeaders, CallTarget, IncomingCall, OutgoingCall, Signalling } from '../ports.ts';
import { RateLimits } from './admission.ts';
import type { SipAgentOptions } from './agentOptions.ts';
import { PanelProof } from './auth/panelProof.ts';
import type { Call } from './call/call.ts';
import type { CallCore } from './call/callCore.ts';
import { LateForkResponses, OutgoingSipCall } from './call/outgoingCall.ts';
import type { Headers } from './message/headers.ts';
import type { ReceivedRequest, ReceivedResponse } from './message/message.ts';
import type { Parsed } from './message/parse.ts';
import { Pings } from './pings.ts';
import { RegistrarServer } from './registrarServer.ts';
import { Registration } from './registration.ts';
import { ALLOW, EXTENSIONS, MAX_CALLS, Requests } from './requests.ts';
import { Routes } from './routes.ts';
import { TransactionLayer } from './transaction/layer.ts';
import type { Source } from './transport/hop.ts';
import type { Protocol } from './transport/protocol.ts';
import { Transport } from './transport/transport.ts';

/** SIP as the intercom uses it: registration, calls in both directions, and no answer to anyone else. */
export class SipAgent implements Signalling {
  onIncoming: (call: IncomingCall) => void = (call) => void call.reject(480);
  onRegistration: (registered: boolean, lastError: string | null) => void = () => {};
  readonly #options: SipAgentOptions;
  readonly #clock: TimerGroup;
  readonly #random: () => number;
  readonly #transport: Transport;
  readonly #layer: TransactionLayer;
  readonly #core: CallCore;
  readonly #requests: Requests;
  readonly #registrarServer: RegistrarServer | undefined;
  readonly #proof: PanelProof | undefined;
  readonly #calls = new Set<Call>();
  readonly #routes: Routes;
  readonly #pings: Pings;
  readonly #lateForks: LateForkResponses;
  #registration: Registration | undefined;
  #isRunning = false;
  #endTrust = (): void => {};

  constructor(options: SipAgentOptions) {
    this.#options = options;
    const { registrarAccounts, panelSecret = '' } = options;
    const clock = new TimerGroup(options.clock);
    this.#clock = clock;
    this.#random = options.random ?? Math.random;
    this.#proof =
      panelSecret === '' ? undefined : new PanelProof({ secret: panelSecret, clock, timeOfDay: Date.now });
    this.#registrarServer =
      registrarAccounts === undefined ? undefined : new RegistrarServer(clock, registrarAccounts);
    this.#transport = new Transport({
      ...options,
      clock,
      accepts: (address, protocol) => this.#accepts(address, protocol),
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
        onStrayResponse: (response, source) => this.#lateForks.decline(response, source),
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
    const limits = options.limits ?? new RateLimits(clock);
    this.#lateForks = new LateForkResponses({ clock, layer: this.#layer, limits });
    this.#core = this.#makeCore();
    this.#requests = new Requests({
      core: this.#core,
      calls: this.#calls,
      limits,
      transport: this.#transport,
      registrarServer: this.#registrarServer,
      mayCall: (address) => this.#mayCall(address),
      isPanel: (address) => this.#isPanel(address),
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

  /** The port on which it accepts TLS connections; undefined if it accepts none. */
  get tlsPort(): number | undefined {
    return this.#options.identity === undefined ? undefined : this.#transport.portOf('tls');
  }

  /** Number of calls and transactions, for leak checks. */
  get size(): number {
    return this.#calls.size + this.#layer.size;
  }

  /** @throws FaceplateError PORT_BUSY; INVALID_REQUEST for an impossible registrar, address or port; STORAGE_FULL */
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
      // Each of them has its own time limit.
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
    const call = new OutgoingSipCall(this.#core, this.#routes.plan(target, sdp, headers));
    this.#calls.add(call);
    // The caller sets the handlers first.
    setImmediate(() => void call.start(this.#isRunning && this.#calls.size <= MAX_CALLS));
    return call;
  }

  get provesPanels(): boolean {
    return this.#proof !== undefined;
  }

  isRegistrar(address: string): boolean {
    return this.#routes.isRegistrar(address);
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

  /** Whether messages from this address are read: it may call us, or it answers a request of ours. */
  #accepts(address: string, protocol: Protocol): boolean {
    return (
      this.#mayCall(address) ||
      // A connection stays open only for addresses that can prove who they are.
      (this.#isPanel(address) && (protocol === 'udp' || this.provesPanels)) ||
      this.#pings.expects(address) ||
      [...this.#calls].some((call) => call.addresses.has(address)) ||
      // Devices are unknown until they have registered.
      (this.#registrarServer !== undefined && isLocalAddress(address))
    );
  }

  #isPanel(address: string): boolean {
    return this.#options.isPanel?.(address) === true;
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
      contact: (hop, isSips) => this.#routes.contact(hop, isSips),
      localAddress: (hop) => this.#transport.localAddress(hop.host),
      digestFor: (hop) => this.#routes.digestFor(hop),
      prove: async (message, { host }) => {
        if (this.#proof !== undefined) this.#proof.sign(message, await this.#transport.localAddress(host));
      },
      isProven: (message, source) => this.#isProven(message, source),
      mayReach: (address) => this.#mayCall(address),
      describe: (headers, kind) => this.#describe(headers, kind),
      decline: (response, source) => this.#lateForks.decline(response, source),
      release: (call: Call) => this.#calls.delete(call),
    };
  }

  /** A request must also be addressed to us: otherwise it could be one to another panel, replayed by an attacker. */
  #isProven(message: ReceivedRequest | ReceivedResponse, source: Source): boolean {
    if (message.kind === 'request' && !this.#routes.isOwn(message.uri)) return false;
    return this.#proof?.holds(message, source.host) === true;
  }

  #describe(headers: Headers, kind: 'request' | 'response'): void {
    headers.add('allow', ALLOW);
    headers.add('supported', EXTENSIONS.join(', '));
    headers.add(kind === 'request' ? 'user-agent' : 'server', `Faceplate/${this.#options.version}`);
  }
}

/** A clock whose timers can all be cancelled at once, so that a stopped agent leaves none running. */
class TimerGroup implements Clock {
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(milliseconds: number, run: () => void): () => void {
    const cancel = this.#clock.after(milliseconds, () => {
      this.#cancels.delete(cancelOnce);
      run();
    });
    const cancelOnce = (): void => {
      this.#cancels.delete(cancelOnce);
      cancel();
    };
    this.#cancels.add(cancelOnce);
    return cancelOnce;
  }

  cancelAll(): void {
    for (const cancel of [...this.#cancels]) cancel();
  }
}
