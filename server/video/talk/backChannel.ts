import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { MediaLimits } from '../limits.ts';
import type { CameraAccess, CameraUrl } from '../rtsp/cameraUrl.ts';
import { RtspClient } from '../rtsp/client.ts';
import { closedByCamera, noAnswer } from '../rtsp/failure.ts';
import { type AudioTrack, audioTracks } from '../tracks.ts';

/** Names of codecs that are listed, and their longest. */
const MAX_NAMES = 16;
const MAX_NAME = 40;

/** What a camera says about the sound that it takes. */
export interface TalkOffer {
  /** The formats that browsers have too, in the order of the camera. */
  readonly tracks: readonly AudioTrack[];
  /** All codecs, as the camera writes them; none: there is no back channel. */
  readonly codecs: readonly string[];
}

/** The way of voice to a camera. */
export interface VoicePath {
  /** @returns the format as the camera has it now. @throws FaceplateError of the camera */
  open(rtpmap: string): Promise<AudioTrack>;
  send(packet: Buffer): void;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

interface BackChannelOptions {
  readonly url: CameraUrl;
  readonly limits: MediaLimits;
  readonly access: CameraAccess;
  readonly clock: Clock;
  /** The camera ended it while it was open; called at most once, never after `close`. */
  readonly onClosed?: (error: FaceplateError) => void;
}

/** A connection to a camera that only carries sound to it (ONVIF Streaming Specification, back channel). */
export class BackChannel implements VoicePath {
  readonly #client: RtspClient;
  readonly #options: BackChannelOptions;
  readonly #ended = Promise.withResolvers<never>();
  #isOpen = false;

  constructor(options: BackChannelOptions) {
    const { url, limits, access, clock } = options;
    this.#options = options;
    this.#ended.promise.catch(() => {});
    this.#client = new RtspClient({
      url,
      connectMs: limits.connectMs,
      replyMs: limits.replyMs,
      udpMs: limits.udpMs,
      access,
      clock,
      talk: 'alone',
      sink: { onRtp: () => {}, onRtcp: () => {} },
      onClosed: (error) => {
        if (this.#isOpen) options.onClosed?.(error);
        this.#ended.reject(error);
      },
    });
  }

  /** Only asks, and closes the connection. @throws FaceplateError of the camera, CAMERA_TIMEOUT after `talkMs` */
  async ask(): Promise<TalkOffer> {
    try {
      const { heard } = await this.#within(this.#options.limits.talkMs, this.#client.describe());
      return offerOf(heard);
    } finally {
      await this.close();
    }
  }

  async open(rtpmap: string): Promise<AudioTrack> {
    return this.#within(this.#options.limits.openMs, this.#open(rtpmap));
  }

  send(packet: Buffer): void {
    this.#client.send(0, packet);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#ended.reject(closedByCamera());
    await this.#client.close();
  }

  async #open(rtpmap: string): Promise<AudioTrack> {
    const { tracks } = offerOf((await this.#client.describe()).heard);
    const track = tracks.find((one) => one.rtpmap === rtpmap);
    if (track === undefined)
      throw new FaceplateError(
        'CAMERA_PROTOCOL',
        'The camera no longer takes the sound that it offered to take.',
      );
    await this.#client.play([track.media]);
    this.#isOpen = true;
    return track;
  }

  async #within<T>(ms: number, work: Promise<T>): Promise<T> {
    const cancel = this.#options.clock.after(ms, () => this.#ended.reject(noAnswer('the back channel')));
    work.catch(() => {});
    try {
      return await Promise.race([work, this.#ended.promise]);
    } finally {
      cancel();
    }
  }
}

/** @param heard the lines of a description for sound that the camera wants to hear */
export function offerOf(heard: Parameters<typeof audioTracks>[0]): TalkOffer {
  const names = heard.flatMap(({ formats }) => formats.map(({ codec }) => codec.slice(0, MAX_NAME)));
  return {
    tracks: audioTracks(heard),
    codecs: [...new Set(names.filter((name) => name !== ''))].slice(0, MAX_NAMES),
  };
}
