import { randomBytes, randomInt } from 'node:crypto';
import { FaceplateError } from '../contract/errors.ts';
import { parseFeedback } from '../media/rtp/rtcp.ts';
import type { RtpPacket } from '../media/rtp/rtpPacket.ts';
import type { Clock } from '../observe/clock.ts';
import type { CallMedia, MediaOptions } from '../services/sip/driver.ts';
import { CallReports } from './callReports.ts';
import { CallViewers } from './callViewers.ts';
import { AUDIO_CODECS, type AudioCodec } from './codecs.ts';
import { IncomingAudio } from './incomingAudio.ts';
import { IncomingVideo } from './incomingVideo.ts';
import { Negotiation } from './negotiation.ts';
import { OutgoingAudio } from './outgoingAudio.ts';
import { OutgoingVideo } from './outgoingVideo.ts';
import { PageLink, type PageShared } from './page/pageLink.ts';
import { pageWish } from './page/pageWish.ts';
import { eventsOf } from './rtp/dtmf.ts';
import { bindPortPair, type Way, wayTo } from './rtp/ports.ts';
import { RtpLine } from './rtp/rtpLine.ts';
import { RtpStream } from './rtp/rtpStream.ts';
import type { Terms } from './sdp/terms.ts';
import { SilenceWatch } from './silenceWatch.ts';

const TICK_MS = 1_000;
/** Key frames asked for more often than this, in milliseconds, are one wish. */
const KEY_FRAME_MS = 500;

export interface SessionOptions {
  readonly media: MediaOptions;
  readonly shared: PageShared;
  readonly clock: Clock;
  /** False: a page to many panels has one link with the intercom page for all its calls. */
  readonly hasPage: boolean;
  readonly codecs?: readonly AudioCodec[];
  /** It has released everything. */
  readonly onStopped: (session: CallSession) => void;
}

/** Media of one call; see CallMedia. */
export class CallSession implements CallMedia {
  onSilent = (): void => {};
  onDtmf: (digit: string) => void = () => {};
  onKeyFrameNeeded = (): void => {};
  readonly #options: SessionOptions;
  /** Where the signalling comes from, as an IP address. */
  readonly #peerHost: string;
  readonly #negotiation: Negotiation;
  readonly #lines: { readonly audio: RtpLine; readonly video: RtpLine | undefined };
  readonly #streams: { readonly audio: RtpStream; readonly video: RtpStream | undefined };
  readonly #link: PageLink | undefined;
  readonly #fromFarEnd: { readonly audio: IncomingAudio; readonly video: IncomingVideo };
  readonly #toFarEnd: { readonly audio: OutgoingAudio; readonly video: OutgoingVideo | undefined };
  readonly #viewers: CallViewers;
  readonly #reports: CallReports;
  readonly #silence: SilenceWatch;
  readonly #askedAt = { farEnd: Number.NEGATIVE_INFINITY, page: Number.NEGATIVE_INFINITY };
  #terms: Terms | undefined;
  #cancelTick: () => void;
  #stopped: Promise<void> | undefined;

  /** Binds the ports. @throws FaceplateError HARDWARE_ERROR without a way to the far end, or without a free port. */
  static async open(options: SessionOptions): Promise<CallSession> {
    const { media } = options;
    const way = await wayTo(media.peerHost);
    const random = (): number => randomInt(2 ** 32) / 2 ** 32;
    const audio = await bindPortPair(way.local, random);
    const video = media.video ? await bindPortPair(way.local, random).catch(() => undefined) : undefined;
    return new CallSession(options, way, audio, video);
  }

  private constructor(
    options: SessionOptions,
    way: Way,
    audio: Awaited<ReturnType<typeof bindPortPair>>,
    video: Awaited<ReturnType<typeof bindPortPair>> | undefined,
  ) {
    const { media, clock, shared, hasPage } = options;
    const cname = randomBytes(8).toString('hex');
    this.#options = options;
    this.#peerHost = way.remote;
    this.#viewers = new CallViewers(shared);
    this.#silence = new SilenceWatch(clock, () => this.onSilent());
    this.#negotiation = new Negotiation({
      address: way.local,
      ports: { audio: audio.port, video: video?.port },
      wishes: {
        direction: media.direction,
        secure: media.secure,
        video: video !== undefined,
        codecs: options.codecs ?? AUDIO_CODECS,
      },
    });
    this.#lines = {
      audio: new RtpLine(audio, {
        onRtp: (packet) => this.#onAudio(packet),
        onRtcp: (packet) => this.#fromFarEnd.audio.onRtcp(packet),
      }),
      video:
        video &&
        new RtpLine(video, {
          onRtp: (packet) => this.#onVideo(packet),
          onRtcp: (packet) => this.#onVideoRtcp(packet),
        }),
    };
    this.#streams = {
      audio: new RtpStream(this.#lines.audio, cname),
      video: this.#lines.video && new RtpStream(this.#lines.video, cname),
    };
    this.#toFarEnd = {
      audio: new OutgoingAudio(this.#streams.audio, clock),
      video: this.#streams.video && new OutgoingVideo(this.#streams.video, () => this.#askPage()),
    };
    const peer = (): PageLink['peer'] => this.#link?.peer;
    this.#fromFarEnd = {
      audio: new IncomingAudio({ peer, onDigit: (digit) => this.onDtmf(digit) }),
      video: new IncomingVideo({ peer, onKeyFrameNeeded: () => this.#askFarEnd() }),
    };
    this.#reports = new CallReports({
      streams: this.#streams,
      fromFarEnd: this.#fromFarEnd,
      toFarEnd: this.#toFarEnd,
      peer,
    });
    if (hasPage) {
      this.#link = new PageLink(shared, {
        onReady: () => this.#onPageReady(),
        onAudio: (packet) => this.pushAudio(packet),
        onVideo: (packet) => this.#toFarEnd.video?.push(packet),
        onKeyFrameWanted: () => this.#askFarEnd(),
      });
    }
    this.#cancelTick = clock.after(TICK_MS, () => this.#tick());
  }

  /** Packets of strangers that were dropped. */
  get dropped(): number {
    return this.#lines.audio.dropped + (this.#lines.video?.dropped ?? 0);
  }

  get hasVideo(): boolean {
    return this.#terms?.video !== undefined;
  }

  async offer(): Promise<string> {
    this.#refuseStopped();
    return this.#negotiation.offer();
  }

  async accept(sdp: string): Promise<void> {
    this.#refuseStopped();
    this.#apply(this.#negotiation.accept(sdp), true);
  }

  async answer(sdp: string, { early = false }: { early?: boolean } = {}): Promise<string> {
    this.#refuseStopped();
    const { terms, answer } = this.#negotiation.answer(sdp, early);
    this.#apply(terms, !early);
    return answer;
  }

  setMicMuted(muted: boolean): void {
    this.#toFarEnd.audio.isMuted = muted;
  }

  async sendDtmf(digits: string, gapMs: number): Promise<boolean> {
    eventsOf(digits);
    return this.#toFarEnd.audio.sendDigits(digits, gapMs);
  }

  sendKeyFrame(): void {
    this.#askPage();
  }

  async showVideo(which: 'remote' | 'local', sdp: string): Promise<string> {
    this.#refuseStopped();
    const feed = which === 'remote' ? this.#fromFarEnd.video.feed : this.#toFarEnd.video?.feed;
    if (!this.hasVideo || feed === undefined)
      throw new FaceplateError('NOT_FOUND', 'The call has no picture.');
    return this.#viewers.show(which, feed, sdp);
  }

  /** A packet of the microphone that is to go to the far end. */
  pushAudio(packet: RtpPacket): void {
    this.#toFarEnd.audio.push(packet);
  }

  /** The page's microphone begins anew. */
  restartAudio(): void {
    this.#toFarEnd.audio.restart();
  }

  /** The intercom page is there again, empty. */
  resetPage(): void {
    this.#link?.reset();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#release();
    return this.#stopped;
  }

  async #release(): Promise<void> {
    this.#cancelTick();
    this.#toFarEnd.audio.stop();
    this.#toFarEnd.video?.open(undefined);
    this.#viewers.close();
    this.#fromFarEnd.video.stop();
    if (this.#terms !== undefined) this.#streams.audio.sayGoodbye();
    if (this.hasVideo) this.#streams.video?.sayGoodbye();
    await Promise.all([this.#link?.close(), this.#lines.audio.close(), this.#lines.video?.close()]);
    this.#options.onStopped(this);
  }

  #refuseStopped(): void {
    if (this.#stopped !== undefined) throw new FaceplateError('CONFLICT', 'The call is over.');
  }

  /** What was agreed on takes effect. @throws FaceplateError for an address that cannot be. */
  #apply(terms: Terms, isAnswered: boolean): void {
    const { media } = this.#options;
    const { audio, video } = terms;
    const connect = (line: RtpLine | undefined, of: 'audio' | 'video'): void =>
      line?.connect(
        this.#negotiation.remoteOf(terms, of, this.#peerHost),
        this.#negotiation.keysOf(terms, of),
      );
    connect(this.#lines.audio, 'audio');
    connect(this.#lines.video, 'video');
    this.#terms = terms;
    this.#silence.expect(isAnswered && audio.receives);
    this.#fromFarEnd.audio.setTerms(audio, isAnswered);
    this.#fromFarEnd.video.setTerms(video);
    this.#toFarEnd.audio.open(isAnswered && audio.sends ? audio : undefined);
    this.#toFarEnd.video?.open(isAnswered && video?.sends === true ? video : undefined);
    this.#link?.want(pageWish(terms, media.direction, isAnswered));
  }

  #onAudio(packet: Buffer): void {
    this.#silence.heard();
    this.#fromFarEnd.audio.push(packet);
  }

  #onVideo(packet: Buffer): void {
    this.#silence.seen();
    this.#fromFarEnd.video.push(packet, this.#options.clock.now());
  }

  #onVideoRtcp(packet: Buffer): void {
    this.#fromFarEnd.video.onRtcp(packet);
    const ssrc = this.#streams.video?.ssrc;
    if (parseFeedback(packet).some((found) => found.kind === 'keyFrame' && found.ssrc === ssrc))
      this.#askPage();
  }

  #onPageReady(): void {
    this.#toFarEnd.audio.restart();
    this.#toFarEnd.video?.restart();
    this.#fromFarEnd.video.replay();
    if (this.hasVideo) this.#askFarEnd();
  }

  #askPage(): void {
    if (this.#isDue('page')) this.#link?.peer?.askForKeyFrame();
  }

  #askFarEnd(): void {
    const terms = this.#terms?.video;
    const stream = this.#streams.video;
    if (terms?.receives !== true || stream === undefined || !this.#isDue('farEnd')) return;
    if (terms.keyFrames === 'none') this.onKeyFrameNeeded();
    stream.askForKeyFrame(this.#fromFarEnd.video.ssrc ?? 0, terms.keyFrames === 'fir');
  }

  #isDue(who: 'farEnd' | 'page'): boolean {
    const now = this.#options.clock.now();
    if (now - this.#askedAt[who] < KEY_FRAME_MS) return false;
    this.#askedAt[who] = now;
    return true;
  }

  #tick(): void {
    this.#cancelTick = this.#options.clock.after(TICK_MS, () => this.#tick());
    this.#viewers.tick();
    this.#reports.tick(this.#terms && { hasVideo: this.hasVideo });
    this.#silence.tick();
  }
}
