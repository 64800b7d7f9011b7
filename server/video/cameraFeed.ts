import { FaceplateError } from '../contract/errors.ts';
import { doubled } from '../platform/async.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { StreamFault, VideoPacket } from '../webrtc/rtp/h264Source.ts';
import type { PictureSize } from '../webrtc/rtp/h264Sps.ts';
import type { Mending } from '../webrtc/rtp/nalReader.ts';
import type { ClockPoint } from '../webrtc/rtp/rtcp.ts';
import type { RtpPacket } from '../webrtc/rtp/rtpPacket.ts';
import type { MediaLimits } from './limits.ts';
import { CameraMedia } from './media/cameraMedia.ts';
import { GopCache, type PictureGroup } from './media/gop.ts';
import { profileOf } from './media/pictureCheck.ts';
import type { CameraAccess, CameraUrl } from './rtsp/cameraUrl.ts';
import { RtspClient } from './rtsp/client.ts';
import { closedByCamera, noAnswer } from './rtsp/failure.ts';
import { offerOf, type TalkOffer } from './talk/backChannel.ts';
import { type AudioTrack, type CameraTracks, chooseTracks } from './tracks.ts';

/** A user of a camera's video. */
export interface FeedSink {
  onVideo(packet: VideoPacket): void;
  onAudio(packet: RtpPacket): void;
  /** The camera was connected again: its timestamps have another base. */
  onRestart(): void;
}

interface CameraFeedOptions {
  readonly url: CameraUrl;
  readonly limits: MediaLimits;
  readonly log: Logger;
  readonly clock: Clock;
  /** From 0 up to, but not including, 1. */
  readonly random?: () => number;
  readonly access: CameraAccess;
  /** Voice goes over the same connection (`talk: "together"`). */
  readonly talksToo?: boolean;
  /** Whether to try a lost camera again. */
  readonly isWanted: () => boolean;
  /** The feed gave up: the first connection failed, or the camera was lost and has no viewers. */
  readonly onEnded: () => void;
}

/** A picture that comes later than this shows as a pause: for some time, browsers may delay pictures to even it out. */
const PAUSE_MS = 100;
const UNSTEADY_MS = 30_000;

/** A camera with few pictures per minute does not count as dead between two of them. */
const SILENT_FRAMES = 3;

/**
 * One camera connection and everyone who watches it. It connects once `start` is called, keeps the last group of
 * pictures, and reconnects with growing pauses if the camera is lost while it has viewers.
 */
export class CameraFeed {
  readonly url: CameraUrl;
  /** Resolves when the first connection plays; rejects with the FaceplateError if it does not. */
  readonly ready: Promise<void>;
  readonly #options: CameraFeedOptions;
  readonly #ready = Promise.withResolvers<void>();
  /** Replaced, not changed: a list costs less for each packet than a set. */
  #sinks: readonly FeedSink[] = [];
  readonly #gop = new GopCache();
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;
  #tracks: CameraTracks | undefined;
  /** Of the present connection. */
  #media: CameraMedia | undefined;
  /** The way of voice in the present connection; undefined without one. */
  #voice: { readonly offer: TalkOffer; readonly send: (packet: Buffer) => void } | undefined;
  #lostBefore = 0;
  /** When PLAY of the present connection was answered, or the last video came over it. */
  #heardAt = 0;
  /** When the first connection played, or the last video came over any. */
  #pictureAt = 0;
  #keyFrameAt = 0;
  #pausedAt = Number.NEGATIVE_INFINITY;
  #isPlaying = false;
  /** Ends a connection that plays nothing. */
  readonly #silence = noAnswer('video after PLAY');
  #failure: FaceplateError | undefined;

  constructor(options: CameraFeedOptions) {
    this.#options = options;
    this.url = options.url;
    this.ready = this.#ready.promise;
    // A waiting caller gets the error; without one it is not a fault.
    this.ready.catch(() => {});
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the connection (TEARDOWN) and resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  attach(sink: FeedSink): void {
    this.#sinks = [...this.#sinks, sink];
  }

  detach(sink: FeedSink): void {
    this.#sinks = this.#sinks.filter((other) => other !== sink);
  }

  /** What the camera sends; only after `ready`. */
  get tracks(): CameraTracks {
    if (this.#tracks === undefined) throw new Error('the feed is not ready');
    return this.#tracks;
  }

  /** What the camera takes over this connection. */
  get takes(): readonly AudioTrack[] {
    return this.#voice?.offer.tracks ?? [];
  }

  /** Sends a packet of voice over this connection; one that takes none drops it. */
  sendVoice(packet: Buffer): void {
    this.#voice?.send(packet);
  }

  /** The last group of pictures, for a new viewer. */
  get recent(): PictureGroup {
    return this.#gop.packets;
  }

  /** When the key frame of `recent` began, by the clock of the feed. */
  get keyFrameAt(): number {
    return this.#keyFrameAt;
  }

  /**
   * The profile of the stream, six hex digits; undefined while it is not known.
   * @param waits where the camera describes none: waits a moment for it in the stream, as some viewers decode only what
   * the answer says
   */
  async profile(waits: boolean): Promise<string | undefined> {
    const known = () => profileOf(this.recent, this.tracks.video.parameterSets);
    if (known() !== undefined || !waits) return known();
    const { clock, limits } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const sink: FeedSink = {
      onVideo: () => {
        if (known() !== undefined) resolve();
      },
      onAudio: () => {},
      onRestart: () => {},
    };
    const cancel = clock.after(limits.profileMs, resolve);
    this.attach(sink);
    await promise;
    cancel();
    this.detach(sink);
    return known();
  }

  get size(): PictureSize | undefined {
    return this.#media?.size;
  }

  /** What was repaired in the video of the present connection. */
  get mended(): ReadonlySet<Mending> {
    return this.#media?.mended ?? new Set();
  }

  /** Why no picture can be shown; undefined if there is no reason in the video. */
  get fault(): StreamFault | undefined {
    return this.#media?.fault;
  }

  /** Milliseconds between two pictures; undefined before the second. */
  get intervalMs(): number | undefined {
    return this.#media?.intervalMs;
  }

  /** Why there is no connection; undefined while there is one, and after one that only sent nothing. */
  get failure(): FaceplateError | undefined {
    return this.#failure;
  }

  /** Video packets that are missing in the camera's own count. */
  get lost(): number {
    return this.#lostBefore + (this.#media?.lost ?? 0);
  }

  /** Whether the video has paused so long that viewers see a frozen picture. */
  isStalled(): boolean {
    return this.#options.clock.now() - this.#pictureAt >= this.#options.limits.stallMs;
  }

  /** Whether its pictures come evenly. */
  get isSteady(): boolean {
    return this.#pictureAt - this.#pausedAt >= UNSTEADY_MS;
  }

  /** The camera's latest sender report of a track. */
  report(kind: 'video' | 'audio'): ClockPoint | undefined {
    return this.#media?.report(kind);
  }

  async #run(): Promise<void> {
    let wasReady = false;
    let failures = 0;
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#playOnce(() => {
          // Only once: a camera that is back without sending still shows a frozen picture.
          if (!wasReady) this.#pictureAt = this.#options.clock.now();
          wasReady = true;
          this.#failure = undefined;
          this.#ready.resolve();
        });
      } catch (error) {
        if (!wasReady) this.#ready.reject(error);
        this.#failure = error instanceof FaceplateError && error !== this.#silence ? error : undefined;
        const reason = this.#stopped.signal.aborted ? 'nobody watches' : reasonOf(error);
        this.#options.log.info({ camera: this.url.host, reason }, 'video: camera connection ended');
      }
      // It has played since the last try: the next pause is short again.
      if (this.#isPlaying) failures = 0;
      this.#isPlaying = false;
      this.#gop.clear();
      if (!wasReady || this.#stopped.signal.aborted || !this.#options.isWanted()) break;
      await this.#pause(failures++);
    }
    this.#ready.reject(closedByCamera());
    this.#options.onEnded();
  }

  /** One connection from start to end. @throws FaceplateError the reason why it ended or did not start. */
  async #playOnce(onPlaying: () => void): Promise<void> {
    const { limits, url, clock, log } = this.#options;
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    const client = new RtspClient({
      url,
      connectMs: limits.connectMs,
      replyMs: limits.replyMs,
      udpMs: limits.udpMs,
      access: this.#options.access,
      talk: this.#options.talksToo === true ? 'too' : undefined,
      onUdpSilent: () => log.warn({ camera: url.host }, 'video: nothing received over UDP, switching to TCP'),
      sink: {
        onRtp: (track, packet) => this.#onRtp(track, packet),
        onRtcp: (track, packet) => this.#media?.onRtcp(track, packet),
      },
      onClosed: ended.reject,
    });
    const onStop = (): void => ended.reject(closedByCamera());
    this.#stopped.signal.addEventListener('abort', onStop, { once: true });
    const cancelLimit = clock.after(limits.openMs, () => ended.reject(noAnswer('the whole opening')));
    let cancelWatch = (): void => {};
    const watchSilence = (): void => {
      if (clock.now() - this.#heardAt >= this.#silenceLimitMs()) ended.reject(this.#silence);
      else cancelWatch = clock.after(limits.tickMs, watchSilence);
    };
    try {
      await Promise.race([this.#open(client), ended.promise]);
      cancelLimit();
      onPlaying();
      watchSilence();
      await ended.promise;
    } finally {
      cancelLimit();
      cancelWatch();
      this.#stopped.signal.removeEventListener('abort', onStop);
      this.#media?.stop();
      this.#voice = undefined;
      await client.close();
    }
  }

  #silenceLimitMs(): number {
    return Math.max(this.#options.limits.reconnectMs, SILENT_FRAMES * (this.#media?.intervalMs ?? 0));
  }

  async #open(client: RtspClient): Promise<void> {
    const description = await client.describe();
    const tracks = chooseTracks(description);
    this.#tracks = tracks;
    this.#lostBefore = this.lost;
    this.#media = new CameraMedia({
      tracks,
      clock: this.#options.clock,
      onVideo: (packet) => {
        // Before the viewers get it: their sessions ask whether the video has paused.
        this.#pictureAt = this.#options.clock.now();
        if (packet.startsKeyFrame) this.#keyFrameAt = this.#pictureAt;
        if ((this.#media?.pauseMs ?? 0) > PAUSE_MS) this.#pausedAt = this.#pictureAt;
        this.#gop.add(packet);
        for (const sink of this.#sinks) sink.onVideo(packet);
      },
      onAudio: (packet) => {
        for (const sink of this.#sinks) sink.onAudio(packet);
      },
    });
    // Before PLAY: packets may come together with its answer.
    for (const sink of this.#sinks) sink.onRestart();
    const sound = tracks.audio === undefined ? [] : [tracks.audio.media];
    const heard = this.#options.talksToo === true ? offerOf(description.heard.slice(0, 1)) : undefined;
    const voice = heard?.tracks[0] === undefined ? [] : [heard.tracks[0].media];
    await client.play([tracks.video.media, ...sound, ...voice]);
    // The camera may have refused the sound.
    if (sound.length > 0 && !client.sends(1)) this.#tracks = { ...tracks, audio: undefined };
    const track = 1 + sound.length;
    if (heard !== undefined && voice.length > 0 && client.sends(track))
      this.#voice = { offer: heard, send: (packet) => client.send(track, packet) };
    this.#heardAt = this.#options.clock.now();
  }

  #onRtp(track: number, data: Buffer): void {
    if ((this.#media?.onRtp(track, data) ?? 0) === 0) return;
    this.#heardAt = this.#options.clock.now();
    this.#pictureAt = this.#heardAt;
    this.#isPlaying = true;
  }

  /** Doubling pauses with up to a quarter of jitter, so that eight panels do not flood a camera that is back. */
  async #pause(failures: number): Promise<void> {
    const { limits, clock, random = Math.random } = this.#options;
    const full = doubled(failures, limits.retryFirstMs, limits.retryMaxMs);
    const signal = this.#stopped.signal;
    await new Promise<void>((resolve) => {
      const onStop = (): void => {
        cancel();
        resolve();
      };
      const cancel = clock.after(full * (0.75 + random() / 4), () => {
        signal.removeEventListener('abort', onStop);
        resolve();
      });
      signal.addEventListener('abort', onStop, { once: true });
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof FaceplateError ? error.message : String(error);
}
