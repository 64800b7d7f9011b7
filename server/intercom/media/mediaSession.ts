import { randomBytes, randomInt } from 'node:crypto';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Route } from '../../platform/net/addresses.ts';
import { parseFeedback } from '../../webrtc/rtp/rtcp.ts';
import type { RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import type { CallMedia, CallViewer, DescriptionOptions, MediaOptions, MediaParty } from '../ports.ts';
import { CallReports, SilenceWatch } from './callReports.ts';
import { CallViewers, IncomingVideo, OutgoingVideo } from './callVideo.ts';
import { AUDIO_CODECS, type AudioCodec } from './codecs.ts';
import { IncomingAudio } from './incomingAudio.ts';
import { Negotiation } from './negotiation.ts';
import { OutgoingAudio } from './outgoingAudio.ts';
import { PageLink, type PageShared, pageMediaOffer } from './page/pageLink.ts';
import { eventsOf } from './rtp/dtmf.ts';
import { bindPortPair, mediaRouteTo } from './rtp/ports.ts';
import { OtherSource, RtpLine } from './rtp/rtpLine.ts';
import { RtpStream } from './rtp/rtpStream.ts';
import type { Terms } from './sdp/terms.ts';

const TICK_MS = 1_000;
/** Requests for a key frame that come faster than this, in milliseconds, count as one. */
const KEY_FRAME_MS = 500;

interface SessionOptions {
  readonly media: MediaOptions;
  readonly shared: PageShared;
  readonly clock: Clock;
  /** False for an announcement: all its calls share one link with the intercom page. */
  readonly hasPage: boolean;
  readonly codecs?: readonly AudioCodec[];
  /** Called when the session has released everything. */
  readonly onStopped: (session: MediaSession) => void;
}

/** Media of one call; see CallMedia. */
export class MediaSession implements CallMedia {
  onSilent = (): void => {};
  onDtmf: (digit: string) => void = () => {};
  onKeyFrameNeeded = (): void => {};
  onElsewhere: (address: string) => void = () => {};
  readonly #options: SessionOptions;
  readonly #peer: MediaParty;
  readonly #negotiation: Negotiation;
  readonly #lines: { readonly audio: RtpLine; readonly video: RtpLine | undefined };
  readonly #streams: { readonly audio: RtpStream; readonly video: RtpStream | undefined };
  readonly #link: PageLink | undefined;
  readonly #fromRemote: { readonly audio: IncomingAudio; readonly video: IncomingVideo };
  readonly #toRemote: { readonly audio: OutgoingAudio; readonly video: OutgoingVideo | undefined };
  readonly #viewers: CallViewers;
  readonly #reports: CallReports;
  readonly #silence: SilenceWatch;
  readonly #askedAt = { remote: Number.NEGATIVE_INFINITY, page: Number.NEGATIVE_INFINITY };
  #terms: Terms | undefined;
  /** The offer was ours. */
  #isCaller = false;
  #cancelTick: () => void;
  #stopped: Promise<void> | undefined;

  /**
   * Binds the ports. @throws FaceplateError HARDWARE_ERROR without a route to the remote party or without a free port.
   */
  static async open(options: SessionOptions): Promise<MediaSession> {
    const { media } = options;
    const route = await mediaRouteTo(media.peerHost);
    const random = (): number => randomInt(2 ** 32) / 2 ** 32;
    const audio = await bindPortPair(route.local, random);
    const video = media.video ? await bindPortPair(route.local, random).catch(() => undefined) : undefined;
    return new MediaSession(options, route, audio, video);
  }

  private constructor(
    options: SessionOptions,
    route: Route,
    audio: Awaited<ReturnType<typeof bindPortPair>>,
    video: Awaited<ReturnType<typeof bindPortPair>> | undefined,
  ) {
    const { media, clock, shared, hasPage } = options;
    const cname = randomBytes(8).toString('hex');
    this.#options = options;
    this.#peer = { host: route.remote, mayBeElsewhere: false };
    this.#viewers = new CallViewers(shared);
    this.#silence = new SilenceWatch(clock, () => this.onSilent());
    this.#negotiation = new Negotiation({
      address: route.local,
      ports: { audio: audio.port, video: video?.port },
      wishes: {
        direction: media.direction,
        secure: media.secure || media.takesKeys === true,
        video: video !== undefined,
        codecs: options.codecs ?? AUDIO_CODECS,
      },
      mustBeSecure: media.secure,
    });
    const other = new OtherSource({
      now: () => clock.now(),
      mayBeTaken: (address) => media.elsewhere?.mayBeTaken(address) === true,
      onTaken: (address) => this.onElsewhere(address),
    });
    this.#lines = {
      audio: new RtpLine(audio, other, {
        onRtp: (packet) => this.#onAudio(packet),
        onRtcp: (packet) => this.#onAudioRtcp(packet),
      }),
      video:
        video &&
        new RtpLine(video, other, {
          onRtp: (packet) => this.#onVideo(packet),
          onRtcp: (packet) => this.#onVideoRtcp(packet),
        }),
    };
    this.#streams = {
      audio: new RtpStream(this.#lines.audio, cname),
      video: this.#lines.video && new RtpStream(this.#lines.video, cname),
    };
    this.#toRemote = {
      audio: new OutgoingAudio(this.#streams.audio, clock),
      video: this.#streams.video && new OutgoingVideo(this.#streams.video, () => this.#askPage()),
    };
    const peer = (): PageLink['peer'] => this.#link?.peer;
    this.#fromRemote = {
      audio: new IncomingAudio({
        peer,
        onDigit: (digit) => this.onDtmf(digit),
        onOtherCodec: (audio) => this.#follow(audio),
      }),
      video: new IncomingVideo({ peer, onKeyFrameNeeded: () => this.#askRemote() }),
    };
    this.#reports = new CallReports({
      streams: this.#streams,
      fromRemote: this.#fromRemote,
      toRemote: this.#toRemote,
      peer,
    });
    if (hasPage) {
      this.#link = new PageLink(shared, {
        onReady: () => this.#onPageReady(),
        onAudio: (packet) => this.pushAudio(packet),
        onVideo: (packet) => this.#toRemote.video?.push(packet),
        onKeyFrameWanted: () => this.#askRemote(),
      });
    }
    this.#cancelTick = clock.after(TICK_MS, () => this.#tick());
  }

  /** Dropped packets of strangers. */
  get dropped(): number {
    return this.#lines.audio.dropped + (this.#lines.video?.dropped ?? 0);
  }

  get hasVideo(): boolean {
    return this.#terms?.video?.receives === true;
  }

  async offer(): Promise<string> {
    this.#refuseStopped();
    this.#isCaller = true;
    return this.#negotiation.offer();
  }

  async accept(sdp: string, { early = false, from = this.#peer }: DescriptionOptions = {}): Promise<void> {
    this.#refuseStopped();
    this.#apply(this.#negotiation.accept(sdp), from, !early);
  }

  async answer(sdp: string, { early = false, from = this.#peer }: DescriptionOptions = {}): Promise<string> {
    this.#refuseStopped();
    const { terms, answer } = this.#negotiation.answer(sdp, early);
    this.#apply(terms, from, !early);
    return answer;
  }

  setMicMuted(muted: boolean): void {
    this.#toRemote.audio.isMuted = muted;
  }

  async sendDtmf(digits: string, gapMs: number): Promise<boolean> {
    eventsOf(digits);
    return this.#toRemote.audio.sendDigits(digits, gapMs);
  }

  noteLife(): void {
    this.#silence.noteLife();
  }

  sendKeyFrame(): void {
    this.#askPage();
  }

  async showVideo(which: CallViewer, sdp: string): Promise<string> {
    this.#refuseStopped();
    const isOwn = which === 'local';
    const feed = isOwn ? this.#toRemote.video?.feed : this.#fromRemote.video.feed;
    const hasPicture = isOwn ? this.#terms?.video !== undefined : this.hasVideo;
    if (!hasPicture || feed === undefined) throw new FaceplateError('NOT_FOUND', 'The call has no picture.');
    return this.#viewers.show(which, feed, sdp);
  }

  /** Sends a packet of the microphone to the remote party. */
  pushAudio(packet: RtpPacket): void {
    this.#toRemote.audio.push(packet);
  }

  /** The intercom page's microphone starts a new stream. */
  restartAudio(): void {
    this.#toRemote.audio.restart();
  }

  /** The intercom page is back, without state. */
  resetPage(): void {
    this.#link?.reset();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#release();
    return this.#stopped;
  }

  async #release(): Promise<void> {
    this.#cancelTick();
    this.#toRemote.audio.stop();
    this.#toRemote.video?.open(undefined);
    this.#viewers.close();
    this.#fromRemote.video.stop();
    if (this.#terms !== undefined) this.#streams.audio.sayGoodbye();
    if (this.#terms?.video !== undefined) this.#streams.video?.sayGoodbye();
    await Promise.all([this.#link?.close(), this.#lines.audio.close(), this.#lines.video?.close()]);
    this.#options.onStopped(this);
  }

  #refuseStopped(): void {
    if (this.#stopped !== undefined) throw new FaceplateError('CONFLICT', 'The call is over.');
  }

  /** The remote party has changed to another codec of its description. */
  #follow(audio: Terms['audio']): void {
    const { media } = this.#options;
    if (this.#terms === undefined) return;
    this.#terms = { ...this.#terms, audio };
    this.#fromRemote.audio.setTerms(audio, true);
    this.#toRemote.audio.open(audio.sends ? audio : undefined);
    this.#link?.want(pageMediaOffer(this.#terms, media.direction, true));
  }

  /** Applies the negotiated terms. @throws FaceplateError for an impossible address. */
  #apply(terms: Terms, from: MediaParty, isAnswered: boolean): void {
    const { media } = this.#options;
    const { audio, video } = terms;
    const connect = (line: RtpLine | undefined, of: 'audio' | 'video'): void => {
      const remote = this.#negotiation.remoteOf(terms, of, from);
      const isNamed = remote !== undefined && media.elsewhere?.isNamed(remote.address) === true;
      const keys = this.#negotiation.keysOf(terms, of);
      line?.connect(remote && { ...remote, isNamed }, keys, terms[of]?.receivedTypes);
    };
    connect(this.#lines.audio, 'audio');
    connect(this.#lines.video, 'video');
    this.#terms = terms;
    this.#silence.expect(isAnswered && audio.receives);
    // What a callee sends before the answer is for our ears: its own tone, or an announcement.
    this.#fromRemote.audio.setTerms(audio, isAnswered || this.#isCaller);
    this.#fromRemote.video.setTerms(video);
    this.#toRemote.audio.open(isAnswered && audio.sends ? audio : undefined);
    this.#toRemote.video?.open(isAnswered && video?.sends === true ? video : undefined);
    this.#link?.want(pageMediaOffer(terms, media.direction, isAnswered));
  }

  #onAudio(packet: Buffer): void {
    this.#silence.noteLife();
    this.#fromRemote.audio.push(packet);
  }

  #onAudioRtcp(packet: Buffer): void {
    this.#silence.noteLife();
    this.#fromRemote.audio.onRtcp(packet);
  }

  #onVideo(packet: Buffer): void {
    this.#silence.noteLife();
    this.#fromRemote.video.push(packet, this.#options.clock.now());
  }

  #onVideoRtcp(packet: Buffer): void {
    this.#silence.noteLife();
    this.#fromRemote.video.onRtcp(packet);
    const ssrc = this.#streams.video?.ssrc;
    if (parseFeedback(packet).some((found) => found.kind === 'keyFrame' && found.ssrc === ssrc))
      this.#askPage();
  }

  #onPageReady(): void {
    this.#toRemote.audio.restart();
    this.#toRemote.video?.restart();
    this.#fromRemote.video.replay();
    if (this.hasVideo) this.#askRemote();
  }

  #askPage(): void {
    if (this.#isDue('page')) this.#link?.peer?.askForKeyFrame();
  }

  #askRemote(): void {
    const terms = this.#terms?.video;
    const stream = this.#streams.video;
    if (terms?.receives !== true || stream === undefined || !this.#isDue('remote')) return;
    if (terms.keyFrames === 'none') this.onKeyFrameNeeded();
    stream.askForKeyFrame(this.#fromRemote.video.ssrc ?? 0, terms.keyFrames === 'fir');
  }

  #isDue(who: 'remote' | 'page'): boolean {
    const now = this.#options.clock.now();
    if (now - this.#askedAt[who] < KEY_FRAME_MS) return false;
    this.#askedAt[who] = now;
    return true;
  }

  #tick(): void {
    this.#cancelTick = this.#options.clock.after(TICK_MS, () => this.#tick());
    this.#viewers.tick();
    this.#reports.tick(this.#terms && { hasVideo: this.#terms.video !== undefined });
    this.#silence.tick();
  }
}
