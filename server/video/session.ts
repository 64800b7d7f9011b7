import { FaceplateError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { shownCameraAddress } from '../platform/redaction.ts';
import type { DtlsCertificate } from '../webrtc/dtls/dtls.ts';
import type { LoopbackSocket } from '../webrtc/ice/loopbackSocket.ts';
import { type Offer, offersProfiles } from '../webrtc/offer.ts';
import type { RtpPacket } from '../webrtc/rtp/rtpPacket.ts';
import type { CameraFeed } from './cameraFeed.ts';
import type { StreamSession as SessionState } from './contract.ts';
import type { CameraHub } from './hub.ts';
import type { MediaLimits } from './limits.ts';
import { NO_MEDIA, type Verdict, verdictOfError, verdictOfFault } from './media/verdict.ts';
import type { FoundCamera, TalkTerms } from './named/cameras.ts';
import type { NamedCamera } from './named/settingsContract.ts';
import type { ViewerSize } from './onvif/choice.ts';
import { FittingFeed } from './onvif/fittingFeed.ts';
import type { OnvifCameras } from './onvif/service.ts';
import { closedByCamera } from './rtsp/failure.ts';
import type { VoicePath } from './talk/backChannel.ts';
import type { Talker, TalkState, Talks } from './talk/talks.ts';
import type { AudioTrack } from './tracks.ts';
import type { Viewer } from './viewer.ts';

/** Averaging time of the bitrate, in milliseconds. */
const BITRATE_WINDOW_MS = 3_000;
/** A camera with few pictures per minute has no problem between two of them. */
const PATIENT_FRAMES = 3;

/** What only viewers need. */
export interface Viewing {
  readonly certificate: DtlsCertificate;
  /** All viewers share it. */
  readonly socket: LoopbackSocket;
  makeViewer(options: ConstructorParameters<typeof Viewer>[0]): Viewer;
}

/** The parts that all sessions share. */
export interface SharedMedia {
  readonly hub: CameraHub;
  readonly talks: Talks;
  /** Loads it with the first viewer. */
  viewing(): Promise<Viewing>;
  readonly limits: MediaLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onvif: OnvifCameras;
}

interface SessionOptions {
  readonly id: string;
  readonly camera: FoundCamera;
  /** Of the viewer, in pixels of its screen. */
  readonly size: ViewerSize | undefined;
  readonly offer: Offer;
  readonly media: SharedMedia;
  /** How voice goes to the camera. */
  readonly talk: TalkTerms;
  /** Its viewer wants to talk, and may. */
  readonly mayTalk: boolean;
  /** His talk has another state. */
  readonly onTalk: (state: TalkState, reason: string | null) => void;
  /** A packet of his microphone came. */
  readonly onMicrophone: () => void;
  /** Its state may have changed. */
  readonly onChange: () => void;
  /** It is over; called once. @param reason for the log. @param hasLeft the viewer ended it. */
  readonly onEnded: (reason: string, hasLeft: boolean) => void;
}

/** One stream session: from the POST, over the camera connection, to the viewer's end. */
export class Session {
  readonly id: string;
  /** Its entry of `streams.cameras`; undefined for an address. */
  readonly named: NamedCamera | undefined;
  readonly #options: SessionOptions;
  readonly #source: FittingFeed;
  readonly #startedAt = new Date();
  readonly #openedAt = performance.now();
  readonly #ended = new AbortController();
  #viewer: Viewer | undefined;
  #talker: Talker | undefined;
  #firstFrameMs: number | null = null;
  /** When the last picture left for the viewer, or the session began. */
  #pictureAt: number;
  #problem: SessionState['problem'] = null;
  #samples: { at: number; octets: number }[] = [];

  /** Takes the camera at once, so that a shared one stays connected while another session ends. */
  constructor(options: SessionOptions) {
    this.id = options.id;
    this.named = options.camera.named;
    this.#options = options;
    this.#pictureAt = options.media.clock.now();
    const { media, camera, size, talk } = options;
    this.#source = new FittingFeed({
      url: camera.url,
      size,
      clock: media.clock,
      log: media.log,
      acquire: (url) => media.hub.acquire(url, talk.mode === 'together'),
      release: (feed) => media.hub.release(feed),
      choose: (url, wanted, signal) => media.onvif.streamFor(url, wanted, signal),
      forget: (url) => media.onvif.forget(url),
      onSwitch: (feed, keyFrame) => this.#viewer?.switchTo(feed, keyFrame),
    });
  }

  /** Of the camera, once it is ready. */
  get #feed(): CameraFeed {
    const { feed } = this.#source;
    if (feed === undefined) throw new Error('the camera is not ready');
    return feed;
  }

  /** What it watches; null for a camera without profiles. */
  get profile(): SessionState['profile'] {
    return this.#source.profile;
  }

  /** The viewer has another size. @returns the profile that fits it @throws FaceplateError of the camera */
  resize(size: ViewerSize, signal: AbortSignal): Promise<SessionState['profile']> {
    return this.#source.resize(size, AbortSignal.any([signal, this.#ended.signal]));
  }

  /**
   * Waits for the camera and answers the offer; does not wait for media.
   * @throws FaceplateError of the camera, the reason given to `end`, or CAMERA_TIMEOUT when `signal` aborts.
   */
  async open(signal: AbortSignal): Promise<string> {
    const interrupted = Promise.withResolvers<never>();
    interrupted.promise.catch(() => {});
    const onEnded = (): void => interrupted.reject(this.#ended.signal.reason);
    const onAbort = (): void => {
      interrupted.reject(new FaceplateError('CAMERA_TIMEOUT', 'The call ended before the camera answered.'));
    };
    this.#ended.signal.addEventListener('abort', onEnded);
    signal.addEventListener('abort', onAbort);
    const { offer, media, onChange } = this.#options;
    let viewing: Viewing;
    let profileLevelId: string | undefined;
    let takes: readonly AudioTrack[];
    try {
      if (signal.aborted) onAbort();
      const ready = Promise.all([
        media.viewing(),
        this.#source.ready(AbortSignal.any([signal, this.#ended.signal])),
      ]);
      [viewing] = await Promise.race([interrupted.promise, ready]);
      [profileLevelId, takes] = await Promise.race([
        interrupted.promise,
        Promise.all([this.#feed.profile(offersProfiles(offer)), this.#taken()]),
      ]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#ended.signal.removeEventListener('abort', onEnded);
    }
    // The session may have ended in the same turn in which the camera became ready.
    this.#ended.signal.throwIfAborted();
    const viewer = viewing.makeViewer({
      feed: this.#feed,
      socket: viewing.socket,
      certificate: viewing.certificate,
      limits: media.limits,
      offer,
      profileLevelId,
      takes: takes.map(({ rtpmap }) => rtpmap),
      onVoice: (packet) => this.#onVoice(packet),
      onFirstFrame: () => {
        this.#firstFrameMs = Math.round(performance.now() - this.#openedAt);
        // After a problem the picture must be whole first, else the same problem would be announced again.
        if (this.#problem === null) onChange();
      },
      onPicture: () => this.#onPicture(),
      onGone: (reason) => this.#end(reason, true),
    });
    this.#viewer = viewer;
    await viewer.prepare();
    this.#ended.signal.throwIfAborted();
    this.#join(takes.find(({ rtpmap }) => rtpmap === viewer.talkRtpmap));
    return viewer.open();
  }

  /** Whether its viewer may talk to the camera, once it is open. */
  get mayTalk(): boolean {
    return this.#talker !== undefined;
  }

  /** Frees everything, and says goodbye to the viewer. @param error the reason for an `open` that still waits. */
  end(reason: string, error?: FaceplateError): void {
    this.#viewer?.close(true);
    this.#end(reason, false, error);
  }

  /**
   * Frees everything for another session of the same id. Its viewer gets no notice: two pages that use one id would reopen it
   * in turn, as fast as they can.
   */
  giveWay(): void {
    this.#end('another viewer took its id over', false);
  }

  /** Call it about every half second. @param now of `performance.now()` */
  tick(now: number): void {
    this.#samples.push({ at: now, octets: this.#viewer?.sent.octets ?? 0 });
    while (now - this.#samples[0]!.at > BITRATE_WINDOW_MS) this.#samples.shift();
    this.#viewer?.tick(now);
    this.#problem = this.#findProblem();
    if (!this.#ended.signal.aborted) this.#options.onChange();
  }

  /** As `GET /api/stream/sessions` shows it. */
  state(): SessionState {
    const viewer = this.#viewer;
    const { feed } = this.#source;
    const size = viewer === undefined ? undefined : feed?.size;
    return {
      id: this.id,
      url: shownCameraAddress(this.#options.camera.url.key),
      state: this.#stateName(),
      codec: viewer === undefined ? '' : 'H264',
      audioCodec: viewer?.audioCodec ?? null,
      width: size?.width ?? null,
      height: size?.height ?? null,
      bitrate: this.#bitrate(),
      packets: viewer?.sent.packets ?? 0,
      lost: (feed?.lost ?? 0) + (viewer?.lost ?? 0),
      startedAt: this.#startedAt.toISOString(),
      firstFrameMs: this.#firstFrameMs,
      viewers: feed === undefined ? 1 : this.#options.media.hub.users(feed),
      problem: this.#problem,
      camera: this.named?.name ?? null,
      talk: this.#talker?.state ?? 'none',
      profile: this.profile,
    };
  }

  /** What the camera takes of the viewer's voice. After its picture: some cameras have one connection only. */
  async #taken(): Promise<readonly AudioTrack[]> {
    const { talk, media, mayTalk } = this.#options;
    if (!mayTalk || talk.mode === 'off') return [];
    if (talk.mode === 'together') return this.#feed.takes;
    return (await media.talks.ask(talk.key, this.#feed.url)).tracks;
  }

  #join(track: AudioTrack | undefined): void {
    const { talk, media, onTalk } = this.#options;
    if (track === undefined) return;
    this.#talker = media.talks.join({
      key: talk.key,
      track,
      packetBytes: talk.packetBytes,
      path: (onClosed) =>
        talk.mode === 'together' ? this.#feedPath() : media.talks.channelTo(this.#feed.url, onClosed),
      onState: onTalk,
    });
  }

  /** Over the connection of the picture: it is there already, and stays. */
  #feedPath(): VoicePath {
    return {
      open: async (rtpmap) => {
        const { feed } = this.#source;
        const track = feed?.takes.find((one) => one.rtpmap === rtpmap);
        if (track === undefined) throw feed?.failure ?? closedByCamera();
        return track;
      },
      // Another profile may have taken its place.
      send: (packet) => this.#source.feed?.sendVoice(packet),
      close: async () => {},
    };
  }

  #onVoice(packet: RtpPacket): void {
    this.#options.onMicrophone();
    this.#talker?.speak(packet);
  }

  #onPicture(): void {
    this.#pictureAt = this.#options.media.clock.now();
    if (this.#problem === null) return;
    this.#problem = null;
    this.#options.onChange();
  }

  #findProblem(): SessionState['problem'] {
    const { clock, limits } = this.#options.media;
    const patience = Math.max(limits.pictureMs, PATIENT_FRAMES * (this.#source.feed?.intervalMs ?? 0));
    if (clock.now() - this.#pictureAt < patience) return null;
    const found = this.#whyNoPicture();
    return found === undefined || found.code === 'OK' ? null : { code: found.code, error: found.verdict };
  }

  /** Undefined where the camera is not the reason: the viewer has not connected yet. */
  #whyNoPicture(): Verdict | undefined {
    const viewer = this.#viewer;
    const failure = this.#source.feed?.failure;
    const error = failure ?? (viewer === undefined ? new FaceplateError('CAMERA_TIMEOUT') : undefined);
    if (error !== undefined)
      return verdictOfError(error, { isSecure: this.#options.camera.url.isSecure, hasVideo: true });
    if (!viewer?.isConnected) return undefined;
    if (this.#feed.isStalled()) return NO_MEDIA;
    // Key frames that cannot be decoded are not sent at all: their feed knows why.
    return viewer.fault && verdictOfFault(this.#feed.fault ?? viewer.fault);
  }

  #end(
    reason: string,
    hasLeft: boolean,
    error = new FaceplateError('CONFLICT', `The stream was ended: ${reason}.`),
  ): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(error);
    this.#talker?.leave();
    this.#viewer?.close();
    this.#source.stop();
    this.#options.onEnded(reason, hasLeft);
  }

  #stateName(): SessionState['state'] {
    if (this.#viewer === undefined) return 'connecting';
    if (this.#feed.isStalled()) return 'stalled';
    return this.#firstFrameMs === null ? 'connecting' : 'playing';
  }

  #bitrate(): number {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.at === first.at) return 0;
    return Math.round(((last.octets - first.octets) * 8 * 1000) / (last.at - first.at));
  }
}
