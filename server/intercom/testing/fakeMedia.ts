import { FaceplateError } from '../../contract/errors.ts';
import type { CallMedia, CallViewer, IntercomPage, MediaFactory, MediaOptions, Tone } from '../ports.ts';
import { AUDIO_OFFER, VIDEO_OFFER } from './fakeSignalling.ts';

/** Media that record every request. */
class FakeMedia implements CallMedia {
  readonly options: MediaOptions;
  hasVideo = false;
  isMuted = false;
  isStopped = false;
  takesDtmf = true;
  readonly done: string[] = [];
  onSilent: () => void = () => {};
  onDtmf: (digit: string) => void = () => {};
  onKeyFrameNeeded: () => void = () => {};
  onElsewhere: (address: string) => void = () => {};

  constructor(options: MediaOptions) {
    this.options = options;
  }

  async offer(): Promise<string> {
    return this.options.video ? VIDEO_OFFER : AUDIO_OFFER;
  }

  async accept(sdp: string, options: { early?: boolean } = {}): Promise<void> {
    if (sdp === 'unusable') throw new FaceplateError('UNSUPPORTED_CODEC', 'No codec in common.');
    this.done.push(options.early ? 'accept early' : 'accept');
    this.hasVideo = this.options.video && sdp.includes('m=video');
  }

  async answer(sdp: string, options: { early?: boolean } = {}): Promise<string> {
    if (sdp.startsWith('unusable')) throw new FaceplateError('UNSUPPORTED_CODEC', 'No codec in common.');
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

  noteLife(): void {
    this.done.push('life');
  }

  sendKeyFrame(): void {
    this.done.push('key frame');
  }

  async showVideo(which: CallViewer): Promise<string> {
    return `picture ${which}`;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
  }
}

/** Makes media that record every request, or fails. */
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

  judge(offer: string): { hasVideo: boolean } {
    if (offer === 'unusable') throw new FaceplateError('UNSUPPORTED_CODEC', 'No codec in common.');
    return { hasVideo: offer.includes('m=video') };
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
    const last = this.opened.at(-1);
    if (last === undefined) throw new Error('no media were opened');
    return last;
  }
}

/** An intercom page that plays nothing. */
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
