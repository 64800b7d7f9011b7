import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { type SipEvent, sipEvent } from '../../contract/sip.ts';
import type { Door } from '../../contract/sipSettings.ts';
import { EventBus } from '../../observe/eventBus.ts';
import { silentLogger } from '../../observe/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { CallerPolicy } from './callerPolicy.ts';
import { Doors } from './doors.ts';
import type {
  CallEnd,
  CallHeaders,
  CallMedia,
  CallPeer,
  CallTarget,
  IncomingCall,
  IntercomPage,
  MediaFactory,
  MediaOptions,
  OutgoingCall,
  Panel,
  PanelDiscovery,
  Signalling,
  Tone,
} from './driver.ts';
import { PanelList } from './panelList.ts';
import { SipService } from './service.ts';

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

/** A far end whose every message the test writes. */
class ScriptedCall {
  readonly id: string;
  readonly peer: CallPeer;
  readonly viaRegistrar: boolean;
  /** What we said to it, in order. */
  readonly said: string[] = [];
  onEnd: (end: CallEnd) => void = () => {};
  onOffer: (sdp: string) => Promise<string> = async () => '';
  onInfo: (contentType: string, body: string) => void = () => {};

  constructor(id: string, peer: Partial<CallPeer>, viaRegistrar: boolean) {
    this.id = id;
    this.peer = { ...PEER, ...peer };
    this.viaRegistrar = viaRegistrar;
  }

  async sendInfo(contentType: string, body: string): Promise<void> {
    this.said.push(`INFO ${contentType} ${body.split('\r\n')[0]}`);
  }

  async hangup(): Promise<void> {
    this.said.push('hangup');
  }
}

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
    },
  ) {
    super(id, options.peer ?? {}, options.viaRegistrar ?? false);
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

export class FakeSignalling implements Signalling {
  onIncoming: (call: IncomingCall) => void = () => {};
  onRegistration: (registered: boolean, lastError: string | null) => void = () => {};
  registered = false;
  /** The far end of the next calls. */
  peer: Partial<CallPeer> = {};
  readonly calls: ScriptedOutgoing[] = [];
  registrar: string | undefined;
  fails: Error | undefined;
  /** Addresses of those who are registered at the panel itself. */
  readonly accounts = new Map<string, string>();
  isStarted = false;
  /** Calls go over TLS. */
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

  /** Somebody calls. */
  ring(options: ConstructorParameters<typeof ScriptedIncoming>[1] = {}): ScriptedIncoming {
    const call = new ScriptedIncoming(`in-${++this.#count}`, options);
    this.onIncoming(call);
    return call;
  }
}

export class FakeMedia implements CallMedia {
  readonly options: MediaOptions;
  hasVideo = false;
  isMuted = false;
  isStopped = false;
  takesDtmf = true;
  readonly done: string[] = [];
  onSilent: () => void = () => {};
  onDtmf: (digit: string) => void = () => {};
  onKeyFrameNeeded: () => void = () => {};

  constructor(options: MediaOptions) {
    this.options = options;
  }

  async offer(): Promise<string> {
    return this.options.video ? VIDEO_OFFER : AUDIO_OFFER;
  }

  async accept(sdp: string): Promise<void> {
    if (sdp === 'unusable') throw new FaceplateError('UNSUPPORTED_CODEC', 'No codec in common.');
    this.done.push('accept');
    this.hasVideo = this.options.video && sdp.includes('m=video');
  }

  async answer(sdp: string, options: { early?: boolean } = {}): Promise<string> {
    if (sdp === 'unusable') throw new FaceplateError('UNSUPPORTED_CODEC', 'No codec in common.');
    this.done.push(options.early ? 'answer early' : 'answer');
    this.hasVideo = this.options.video && sdp.includes('m=video');
    return this.hasVideo ? VIDEO_OFFER : AUDIO_OFFER;
  }

  setMicMuted(muted: boolean): void {
    this.isMuted = muted;
  }

  async sendDtmf(digits: string, gapMs: number): Promise<boolean> {
    if (this.takesDtmf) this.done.push(`dtmf ${digits} ${gapMs}`);
    return this.takesDtmf;
  }

  sendKeyFrame(): void {
    this.done.push('key frame');
  }

  async showVideo(which: 'remote' | 'local'): Promise<string> {
    return `picture ${which}`;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
  }
}

export class FakeMediaFactory implements MediaFactory {
  readonly opened: FakeMedia[] = [];
  pages = 0;
  resets = 0;
  fails: Error | undefined;
  isStarted = false;

  async start(): Promise<void> {
    this.isStarted = true;
  }

  async stop(): Promise<void> {
    this.isStarted = false;
  }

  async open(options: MediaOptions): Promise<FakeMedia> {
    if (this.fails !== undefined) throw this.fails;
    const media = new FakeMedia(options);
    this.opened.push(media);
    return media;
  }

  async openPage(): Promise<{ open(options: MediaOptions): Promise<FakeMedia>; stop(): Promise<void> }> {
    this.pages++;
    return {
      open: (options) => this.open(options),
      stop: async () => {
        this.pages--;
      },
    };
  }

  resetPage(): void {
    this.resets++;
  }

  get last(): FakeMedia {
    return this.opened.at(-1) ?? missing('no media were opened');
  }
}

export class FakePage implements IntercomPage {
  tone: Tone = 'none';
  volume = -1;
  isDead = false;
  onReset: () => void = () => {};

  async connect(): Promise<string> {
    return 'v=0';
  }

  async close(): Promise<void> {}

  async play(tone: Tone): Promise<void> {
    if (this.isDead) throw new Error('the page is gone');
    this.tone = tone;
  }

  async setVolume(volume: number): Promise<void> {
    this.volume = volume;
  }
}

export class FakeDiscovery implements PanelDiscovery {
  onFound: (panel: Panel) => void = () => {};
  onLost: (panel: Panel) => void = () => {};
  own: Parameters<PanelDiscovery['start']>[0] | undefined;

  async start(own: Parameters<PanelDiscovery['start']>[0]): Promise<void> {
    this.own = own;
  }

  async stop(): Promise<void> {
    this.own = undefined;
  }
}

interface PanelOptions {
  readonly allow?: readonly string[];
  readonly autoAnswer?: boolean;
  readonly doors?: readonly Door[];
  readonly hasRegistrar?: boolean;
  readonly isEnabled?: boolean;
  readonly isPortBusy?: boolean;
  readonly dataDir?: string;
}

/** An intercom between a scripted far end, media that are noted, and a clock that stands still. */
export async function startIntercom(t: TestContext | undefined, options: PanelOptions = {}) {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'faceplate-sip-'));
  const clock = new FakeClock();
  const log = silentLogger();
  const bus = new EventBus(log);
  const told: SipEvent[] = [];
  bus.onAny((name, payload) => {
    if (name === 'sip') told.push(sipEvent.parse(payload));
  });
  const signalling = new FakeSignalling();
  if (options.isPortBusy)
    signalling.fails = new FaceplateError('PORT_BUSY', 'The port 5060 is in use by another program.');
  if (options.hasRegistrar) signalling.registrar = '192.168.1.2';
  const media = new FakeMediaFactory();
  const page = new FakePage();
  const discovery = new FakeDiscovery();
  const panels = new PanelList();
  const opened: string[] = [];
  const previews: string[] = [];
  const relay = {
    fails: undefined as Error | undefined,
    open: async (url: string) => {
      if (relay.fails !== undefined) throw relay.fails;
      opened.push(url);
    },
  };
  const preview = {
    open: async (url: string) => {
      previews.push(url);
      return `preview of ${url}`;
    },
    close: async () => void previews.splice(0),
  };
  const doors = options.doors ?? [];
  const policy = new CallerPolicy({
    allow: options.allow ?? [],
    allowLan: false,
    doors: Doors.addresses(doors),
    networks: () => [],
    panels: () => panels.hosts(),
  });
  let rings = 0;
  const parts = { signalling, media, page, discovery, relay, preview, policy, panels };
  const sip = new SipService({
    intercom: options.isEnabled === false ? null : { ...parts, port: () => 5060 },
    deviceName: 'Hall',
    autoAnswer: options.autoAnswer ?? false,
    doors,
    dataDir,
    events: bus,
    onRing: () => rings++,
    clock,
    log,
  });
  const clean = async () => {
    await sip.stop();
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  t?.after(clean);
  await sip.start();
  return {
    ...parts,
    sip,
    clock,
    bus,
    told,
    rings: () => rings,
    opened,
    previews,
    clean,
    status: async () => (await sip.getStatus()).callStatus,
    /** The one call that was placed last. */
    placed: () => signalling.calls.at(-1) ?? missing('no call was placed'),
    found: (name: string, host: string) => discovery.onFound({ id: name, name, host, port: 5060 }),
  };
}

export type TestIntercom = Awaited<ReturnType<typeof startIntercom>>;

function missing(words: string): never {
  throw new Error(words);
}
