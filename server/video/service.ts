import { FaceplateError } from '../contract/errors.ts';
import type { SipEvent } from '../intercom/sipContract.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import type { Logger } from '../platform/log.ts';
import { isLoopback } from '../platform/net/addresses.ts';
import type { MediaDriver } from '../webrtc/driver.ts';
import { parseOffer, wantsToTalk } from '../webrtc/offer.ts';
import {
  type CameraInspection,
  MAX_STREAM_SESSIONS,
  type NamedCameraState,
  type StreamSession as SessionState,
} from './contract.ts';
import { CameraHub } from './hub.ts';
import { inspectCamera } from './inspect.ts';
import { defaultMediaLimits, type MediaLimits } from './limits.ts';
import { Cameras } from './named/cameras.ts';
import type { ViewerSize } from './onvif/choice.ts';
import { OnvifCommands } from './onvif/commands.ts';
import { OnvifCameras } from './onvif/service.ts';
import type { CameraAccess } from './rtsp/cameraUrl.ts';
import { Session, type SharedMedia, type Viewing } from './session.ts';
import { Microphones, Talks } from './talk/talks.ts';

interface StreamServiceOptions {
  readonly log: Logger;
  readonly bus: EventBus;
  /** How long a camera connection outlives its last viewer, in seconds (`streams.lingerSeconds`). */
  readonly lingerSeconds: () => number;
  readonly access: CameraAccess;
  readonly talk?: {
    /** Whether callers from outside the panel may talk (`streams.talkFromAfar`). */
    readonly fromAfar?: () => boolean;
    /** The microphone of the panel is open for a camera, or no longer. */
    readonly onMicrophone?: (isOpen: boolean) => void;
  };
  /** The system calls that send many packets at once; without them Node's own sockets. */
  readonly driver?: MediaDriver;
  readonly clock?: Clock;
  /** Time limits other than the defaults; for tests. */
  readonly limits?: Partial<MediaLimits>;
}

/** Who opens a camera. */
interface Opening {
  readonly signal: AbortSignal;
  /** Without one it is the panel itself. */
  readonly address?: string | null;
}

interface OpenParams {
  readonly id: string;
  readonly url: string;
  readonly sdp: string;
  /** Of the viewer, in pixels of its screen. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Inspections at one time. */
const MAX_INSPECTIONS = 2;

/** Cameras for WebRTC viewers: at most eight sessions, one camera connection per URL. */
export class StreamService {
  readonly #options: StreamServiceOptions;
  readonly #limits: MediaLimits;
  readonly #cameras: Cameras;
  readonly onvif: OnvifCameras;
  readonly onvifCommands: OnvifCommands;
  readonly #sessions = new Map<string, Session>();
  readonly #left = new RecentlyClosed();
  /** The last announced state of each session, and its problem. */
  readonly #announced = new WeakMap<Session, Pick<SessionState, 'state' | 'problem' | 'talk'>>();
  #media: SharedMedia | undefined;
  #viewing: Promise<Viewing> | undefined;
  #warming: Promise<unknown> | undefined;
  #cancelTick: (() => void) | undefined;
  #endListening: () => unknown = () => {};
  #inspections = 0;
  readonly #stopping = new AbortController();
  readonly #microphones: Microphones;

  constructor(options: StreamServiceOptions) {
    this.#options = options;
    this.#limits = { ...defaultMediaLimits, ...options.limits };
    const { access, log, clock = systemClock, talk } = options;
    this.#cameras = new Cameras(access);
    this.#microphones = new Microphones(clock, talk?.onMicrophone);
    const after = (ms: number, run: () => void) => clock.after(ms, run);
    const wallClock = { now: () => clock.now(), after, wall: () => Date.now() };
    this.onvif = new OnvifCameras({ access, log, clock: wallClock });
    this.onvifCommands = new OnvifCommands({ cameras: this.#cameras, onvif: this.onvif, clock });
  }

  /** On a panel with cameras it gets ready for the first viewer. */
  async start(): Promise<void> {
    if (this.#media !== undefined) return;
    const { log, lingerSeconds, access, clock = systemClock } = this.#options;
    const lingerMs = (): number => lingerSeconds() * 1000;
    const limits = this.#limits;
    const hub = new CameraHub({ log, limits, lingerMs, access, clock });
    const talks = new Talks({ access, limits, clock, log });
    const { onvif } = this;
    this.#media = { hub, talks, viewing: () => this.#prepared(), limits, clock, log, onvif };
    this.#endListening = this.#options.bus.onAny((name, payload) => {
      if (name === 'sip') talks.hearOfCall(payload as SipEvent);
    });
    if (access.logins().length + access.cameras().length > 0) this.#warming = this.#warmUp();
  }

  /** Ends all sessions and camera connections. Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    const media = this.#media;
    const viewing = this.#viewing;
    this.#media = this.#viewing = undefined;
    this.#stopping.abort(new FaceplateError('SHUTTING_DOWN'));
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    for (const session of [...this.#sessions.values()]) {
      session.end('the panel is stopping', new FaceplateError('SHUTTING_DOWN'));
    }
    this.#endListening();
    this.#microphones.stop();
    const ending = [this.onvif.stop(), media?.hub.stop(), media?.talks.stop()];
    const unused = viewing?.then(
      ({ socket }) => socket.stop(),
      () => undefined,
    );
    await Promise.all([...ending, unused, this.#warming]);
  }

  /**
   * Opens a camera for a viewer. An id in use is taken over. Does not wait for media.
   * @param signal ends the try if the caller is gone.
   * @throws FaceplateError INVALID_REQUEST, UNSUPPORTED_CODEC, CAMERA_*, SESSION_LIMIT, SHUTTING_DOWN, and CONFLICT if
   * it is closed or taken over while the camera is being connected.
   */
  async open(
    params: OpenParams,
    context: Opening,
  ): Promise<{ sdp: string; talk: 'none' | 'ready'; profile: SessionState['profile'] }> {
    const { id, width, height } = params;
    const media = this.#media;
    if (media === undefined) throw new FaceplateError('SHUTTING_DOWN');
    const offer = parseOffer(params.sdp);
    const camera = this.#cameras.findVideo(params.url);
    const before = this.#sessions.get(id);
    if (before === undefined && this.#sessions.size >= MAX_STREAM_SESSIONS) {
      throw new FaceplateError('SESSION_LIMIT');
    }
    const isHere = typeof context.address !== 'string' || isLoopback(context.address);
    const mayTalk = isHere || this.#options.talk?.fromAfar?.() === true;
    const session: Session = new Session({
      id,
      camera,
      size: width === undefined || height === undefined ? undefined : { width, height },
      offer,
      media,
      talk: this.#cameras.talkOf(camera),
      mayTalk: mayTalk && wantsToTalk(offer),
      onTalk: (state, reason) => {
        this.#options.bus.emit('talk', { session: id, camera: camera.named?.name ?? null, state, reason });
        this.#announce(session);
      },
      onMicrophone: () => {
        if (isHere) this.#microphones.hear();
      },
      onChange: () => this.#announce(session),
      onEnded: (reason, hasLeft) => this.#forget(session, reason, hasLeft),
    });
    before?.giveWay();
    this.#left.take(id);
    this.#sessions.set(id, session);
    if (this.#cancelTick === undefined) this.#tickLater(media.clock);
    this.#announce(session);
    try {
      const sdp = await session.open(context.signal);
      return { sdp, talk: session.mayTalk ? 'ready' : 'none', profile: session.profile };
    } catch (error) {
      session.end('it could not be opened');
      this.#cameras.judgeFailure(camera, error);
      throw error;
    }
  }

  /**
   * Ends a session; also succeeds once for a session whose viewer has just left. @throws FaceplateError
   * SESSION_NOT_FOUND.
   */
  async close(params: { readonly id: string }): Promise<{ status: 'stopped' }> {
    const session = this.#sessions.get(params.id);
    const hasLeft = this.#left.take(params.id);
    if (session === undefined && !hasLeft) throw new FaceplateError('SESSION_NOT_FOUND');
    session?.end('it was closed');
    return { status: 'stopped' };
  }

  /**
   * The viewer of a session has another size.
   * @returns the profile that fits it, which it gets once that has been so for two seconds
   * @throws FaceplateError SESSION_NOT_FOUND, CAMERA_*
   */
  async size(
    params: { readonly id: string } & ViewerSize,
    context: { readonly signal: AbortSignal },
  ): Promise<{ profile: SessionState['profile'] }> {
    const { id, width, height } = params;
    const session = this.#sessions.get(id);
    if (session === undefined) throw new FaceplateError('SESSION_NOT_FOUND');
    return { profile: await session.resize({ width, height }, context.signal) };
  }

  /** What pictures of cameras need of it. @throws FaceplateError SHUTTING_DOWN before its start and after its end */
  get shared() {
    if (this.#media === undefined) throw new FaceplateError('SHUTTING_DOWN');
    const { hub, onvif } = this.#media;
    return { hub, onvif, cameras: this.#cameras, access: this.#options.access };
  }

  sessions(): { sessions: SessionState[]; max: number } {
    return {
      sessions: [...this.#sessions.values()].map((session) => session.state()),
      max: MAX_STREAM_SESSIONS,
    };
  }

  /** The cameras of `streams.cameras`, without logins. */
  namedCameras(): { cameras: NamedCameraState[] } {
    return { cameras: this.#cameras.states() };
  }

  /**
   * Inspects for about three seconds what a camera offers and sends, over a separate connection.
   * @throws FaceplateError INVALID_REQUEST, FORBIDDEN, SESSION_LIMIT (two inspections at a time), SHUTTING_DOWN.
   */
  async inspect(
    params: { readonly url: string },
    context: { readonly signal: AbortSignal },
  ): Promise<CameraInspection> {
    if (this.#media === undefined) throw new FaceplateError('SHUTTING_DOWN');
    const { talks } = this.#media;
    const { url, named } = this.#cameras.findVideo(params.url);
    if (this.#inspections >= MAX_INSPECTIONS) {
      throw new FaceplateError('SESSION_LIMIT', 'Two cameras are being inspected already; try again.');
    }
    this.#inspections++;
    try {
      const signal = AbortSignal.any([context.signal, this.#stopping.signal]);
      const { access } = this.#options;
      const stream = url.kind === 'onvif' ? (await this.onvif.streamFor(url, undefined, signal)).url : url;
      const talk = () => talks.ask(this.#cameras.talkOf({ url, named }).key, stream, true);
      const found = await inspectCamera({ url: stream, limits: this.#limits, access, talk, signal });
      this.#cameras.judge(named, found.code);
      return found;
    } finally {
      this.#inspections--;
    }
  }

  /** Loads what viewers need, WebRTC above all, with the first of them: many panels never show a camera. */
  #prepared(): Promise<Viewing> {
    if (this.#viewing !== undefined) return this.#viewing;
    const made = makeViewing(this.#options.driver);
    this.#viewing = made;
    made.catch(() => {
      if (this.#viewing === made) this.#viewing = undefined;
    });
    return made;
  }

  /** Does beforehand what the first viewers would wait for. It never fails: at worst they wait. */
  async #warmUp(): Promise<void> {
    try {
      const { certificate } = await this.#prepared();
      const { warmUp } = await import('../webrtc/dtls/dtls.ts');
      await warmUp(certificate, this.#stopping.signal);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'video: could not prepare WebRTC');
    }
  }

  #tickLater(clock: Clock): void {
    this.#cancelTick = clock.after(this.#limits.tickMs, () => {
      const now = performance.now();
      for (const session of [...this.#sessions.values()]) session.tick(now);
      // It ends with the last session.
      if (this.#cancelTick !== undefined) this.#tickLater(clock);
    });
  }

  #announce(session: Session): void {
    const state = session.state();
    const before = this.#announced.get(session);
    const { code, error } = state.problem ?? {};
    const isSame = before?.state === state.state && before.talk === state.talk;
    if (isSame && before.problem?.error === error) return;
    this.#announced.set(session, state);
    if (state.state === 'playing' || code !== undefined) this.#cameras.judge(session.named, code ?? 'OK');
    if (code !== undefined && code !== before?.problem?.code)
      this.#options.log.warn({ stream: session.id, code }, 'video: a viewer gets no picture');
    this.#options.bus.emit('stream', state);
  }

  #forget(session: Session, reason: string, hasLeft: boolean): void {
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    if (hasLeft) this.#left.add(session.id);
    this.#options.log.info({ stream: session.id, reason }, 'video: stream session ended');
    if (this.#sessions.size > 0) return;
    this.#cancelTick?.();
    this.#cancelTick = undefined;
  }
}

async function makeViewing(driver: MediaDriver | undefined): Promise<Viewing> {
  const [{ Viewer }, { createCertificate }, { LoopbackSocket }] = await Promise.all([
    import('./viewer.ts'),
    import('../webrtc/dtls/dtls.ts'),
    import('../webrtc/ice/loopbackSocket.ts'),
  ]);
  const certificate = await createCertificate();
  const socket = new LoopbackSocket(driver);
  await socket.start();
  return { certificate, socket, makeViewer: (options) => new Viewer(options) };
}

/** How long the id of a viewer that left may still be closed, in milliseconds. */
const REMEMBERED_MS = 30_000;
/** Most ids remembered; the oldest is dropped first. */
const MAX_IDS = 64;

/**
 * Ids of sessions that ended because their viewer left: a page may end its connection and send DELETE in either order.
 */
export class RecentlyClosed {
  /** When each viewer left, the oldest first. */
  readonly #leftAt = new Map<string, number>();
  readonly #now: () => number;

  /** @param now milliseconds, monotonic */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Remembers the id of a viewer that left. */
  add(id: string): void {
    this.#leftAt.delete(id);
    this.#leftAt.set(id, this.#now());
    if (this.#leftAt.size > MAX_IDS) this.#leftAt.delete(this.#leftAt.keys().next().value!);
  }

  /** Forgets an id. @returns whether its viewer left within the last 30 s. */
  take(id: string): boolean {
    const leftAt = this.#leftAt.get(id);
    this.#leftAt.delete(id);
    return leftAt !== undefined && this.#now() - leftAt < REMEMBERED_MS;
  }
}
