import type {
  CallEnd,
  CallHeaders,
  CallPeer,
  CallTarget,
  IncomingCall,
  OutgoingCall,
  Signalling,
} from '../ports.ts';

/** Short descriptions in the form that remote parties send. */
export const VIDEO_OFFER = 'v=0\r\nm=audio 4000 RTP/AVP 0\r\nm=video 4002 RTP/AVP 96\r\n';
export const AUDIO_OFFER = 'v=0\r\nm=audio 4000 RTP/AVP 0\r\n';

const PEER: CallPeer = {
  host: '192.168.1.20',
  port: 5060,
  user: 'door',
  displayName: '',
  isFaceplate: false,
  secure: false,
};

/** A remote party whose messages are all written by the test. */
class ScriptedCall {
  readonly id: string;
  readonly peer: CallPeer;
  readonly viaRegistrar: boolean;
  isProven = false;
  /** What we sent to it, in order. */
  readonly said: string[] = [];
  onEnd: (end: CallEnd) => void = () => {};
  onOffer: (sdp: string) => Promise<string> = async () => '';
  onInfo: (contentType: string, body: string) => boolean = () => false;

  constructor(id: string, peer: Partial<CallPeer>, viaRegistrar: boolean) {
    this.id = id;
    this.peer = { ...PEER, ...peer };
    this.viaRegistrar = viaRegistrar;
  }

  onLife: () => void = () => {};
  /** Whether it answers OPTIONS. */
  isAlive = false;

  async isThere(): Promise<boolean> {
    this.said.push('OPTIONS');
    return this.isAlive;
  }

  async sendInfo(contentType: string, body: string): Promise<void> {
    this.said.push(`INFO ${contentType} ${body.split('\r\n')[0]}`);
  }

  async hangup(): Promise<void> {
    this.said.push('hangup');
  }
}

/** A call that the panel places. */
export class ScriptedOutgoing extends ScriptedCall implements OutgoingCall {
  readonly target: CallTarget;
  readonly headers: CallHeaders;
  onProgress: (status: number, sdp: string | undefined) => void = () => {};
  onAccepted: (sdp: string) => void = () => {};

  constructor(id: string, target: CallTarget, headers: CallHeaders, peer: Partial<CallPeer>) {
    super(id, peer, target.kind === 'extension');
    this.target = target;
    this.headers = headers;
  }
}

/** A call that comes in. */
export class ScriptedIncoming extends ScriptedCall implements IncomingCall {
  readonly offer: string | undefined;
  readonly autoAnswer: boolean;
  readonly pageId?: string;
  /** Settles the ACK; by default it comes at once. */
  acknowledge: () => Promise<string | undefined> = async () => undefined;

  constructor(
    id: string,
    options: {
      peer?: Partial<CallPeer>;
      offer?: string | undefined;
      pageId?: string;
      viaRegistrar?: boolean;
      isProven?: boolean;
    },
  ) {
    super(id, options.peer ?? {}, options.viaRegistrar ?? false);
    this.isProven = options.isProven ?? false;
    this.offer = 'offer' in options ? options.offer : AUDIO_OFFER;
    this.autoAnswer = options.pageId !== undefined;
    if (options.pageId !== undefined) this.pageId = options.pageId;
  }

  async ring(sdp?: string): Promise<void> {
    this.said.push(sdp === undefined ? '180' : '183');
  }

  async accept(): Promise<string | undefined> {
    this.said.push('200');
    return this.acknowledge();
  }

  async reject(status = 486): Promise<void> {
    this.said.push(String(status));
  }
}

/** Signalling without a network: the test is the remote party. */
export class FakeSignalling implements Signalling {
  onIncoming: (call: IncomingCall) => void = () => {};
  onRegistration: (registered: boolean, lastError: string | null) => void = () => {};
  registered = false;
  /** The remote party of the next calls. */
  peer: Partial<CallPeer> = {};
  readonly calls: ScriptedOutgoing[] = [];
  registrar: string | undefined;
  fails: Error | undefined;
  /** Addresses of the devices registered at the panel itself. */
  readonly accounts = new Map<string, string>();
  isStarted = false;
  provesPanels = false;
  /** Calls use TLS. */
  isTls = false;
  #count = 0;

  async start(): Promise<void> {
    if (this.fails !== undefined) throw this.fails;
    this.isStarted = true;
  }

  async stop(): Promise<void> {
    this.isStarted = false;
  }

  call(target: CallTarget, _sdp: string, headers: CallHeaders = {}): ScriptedOutgoing {
    const call = new ScriptedOutgoing(`out-${++this.#count}`, target, headers, this.peer);
    this.calls.push(call);
    return call;
  }

  isRegistrar(address: string): boolean {
    return address === this.registrar;
  }

  isSecure(): boolean {
    return this.isTls;
  }

  hostOf(target: CallTarget): string | undefined {
    if (target.kind === 'address') return target.host;
    return this.accounts.get(target.extension) ?? this.registrar;
  }

  async ping(): Promise<boolean> {
    return true;
  }

  /** A call comes in. */
  ring(options: ConstructorParameters<typeof ScriptedIncoming>[1] = {}): ScriptedIncoming {
    const call = new ScriptedIncoming(`in-${++this.#count}`, options);
    this.onIncoming(call);
    return call;
  }
}
