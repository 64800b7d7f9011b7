import { FaceplateError } from '../contract/errors.ts';
import { systemClock } from '../platform/clock.ts';
import type { MediaLimits } from './limits.ts';
import { CameraMedia } from './media/cameraMedia.ts';
import { type Finding, mendedSentences } from './media/mendedWords.ts';
import { PictureCheck, type PictureFault } from './media/pictureCheck.ts';
import { type Verdict, verdictOf, verdictOfError } from './media/verdict.ts';
import type { CameraAccess, CameraUrl } from './rtsp/cameraUrl.ts';
import { RtspClient } from './rtsp/client.ts';
import { noAnswer } from './rtsp/failure.ts';
import type { SessionDescription } from './rtsp/sdp.ts';
import type { TalkOffer } from './talk/backChannel.ts';
import { type CameraTracks, chooseTracks } from './tracks.ts';

/** Factor on the watching time while there is no picture. */
const PATIENCE = 3;
const STEP_MS = 100;
/** Index of the sound in the order of SETUP. */
const AUDIO = 1;
const NOTHING_MENDED: ReadonlySet<Finding> = new Set();

interface InspectOptions {
  readonly url: CameraUrl;
  readonly limits: MediaLimits;
  readonly access: CameraAccess;
  /** What the camera says about the sound that it takes; never rejects. */
  readonly talk?: () => Promise<TalkOffer>;
  /** Ends the inspection. */
  readonly signal: AbortSignal;
}

interface Inspection extends Verdict {
  readonly video: VideoFinding | null;
  readonly audio: {
    readonly codec: string;
    readonly clockRate: number;
    readonly channels: number;
    readonly forwarded: boolean;
  } | null;
  readonly mended: string[];
  readonly talk: {
    readonly codecs: string[];
    readonly playable: boolean;
    readonly hint: string | null;
  } | null;
}

interface VideoFinding {
  readonly bFrames: boolean;
  readonly keyFrames: number;
  readonly packets: number;
  readonly codec: string;
  readonly profile: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly fps: number | null;
  readonly packetization: number | null;
  readonly lost: number;
  readonly bitrate: number;
  readonly transport: 'tcp' | 'udp' | null;
}

/**
 * Dials a camera, watches its media for a few seconds and predicts how it plays in a browser. A fault of the camera is
 * a verdict, not an error.
 * @throws FaceplateError FORBIDDEN, or the reason of `signal`.
 */
export async function inspectCamera(options: InspectOptions): Promise<Inspection> {
  const seen = await watchCamera(options);
  // Afterwards: some cameras have one connection only.
  const { codecs, tracks } = (seen.isThere && (await options.talk?.())) || NO_TALK;
  options.signal.throwIfAborted();
  const playable = tracks.length > 0;
  return {
    ...seen.inspection,
    talk: codecs.length === 0 ? null : { codecs: [...codecs], playable, hint: playable ? null : TALK_HINT },
  };
}

const NO_TALK: TalkOffer = { codecs: [], tracks: [] };
const TALK_HINT = 'Set the sound that the camera plays to G.711 (PCMU or PCMA) in the camera.';

/** @returns what was seen, and whether the camera has described itself */
async function watchCamera({
  url,
  limits,
  access,
  signal,
}: InspectOptions): Promise<{ readonly isThere: boolean; readonly inspection: Omit<Inspection, 'talk'> }> {
  const watched = new WatchedVideo();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const onAbort = (): void => ended.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const limit = setTimeout(() => ended.reject(noAnswer('the whole opening')), limits.openMs);
  const client = new RtspClient({
    url,
    connectMs: limits.connectMs,
    replyMs: limits.replyMs,
    udpMs: limits.udpMs,
    access,
    sink: { onRtp: (track, packet) => watched.add(track, packet), onRtcp: () => {} },
    onClosed: ended.reject,
  });
  let description: SessionDescription | undefined;
  try {
    signal.throwIfAborted();
    description = await Promise.race([client.describe(), ended.promise]);
    const tracks = chooseTracks(description);
    watched.begin(tracks);
    // The sound too: what a camera refuses, a viewer does not get.
    const media =
      tracks.audio === undefined ? [tracks.video.media] : [tracks.video.media, tracks.audio.media];
    await Promise.race([client.play(media), ended.promise]);
    clearTimeout(limit);
    await Promise.race([watched.enough(limits.inspectMs), ended.promise]);
    const video = watched.finding(tracks, client.transport);
    const inspection = {
      ...verdictOf({ ...video, fault: watched.fault }),
      video,
      audio: audioOf(description, client.sends(AUDIO) ? tracks : { ...tracks, audio: undefined }),
      mended: mendedSentences([...watched.mended, ...client.findings]),
    };
    return { isThere: true, inspection };
  } catch (error) {
    if (signal.aborted || !(error instanceof FaceplateError) || error.code === 'FORBIDDEN') throw error;
    const codec = videoCodecOf(description);
    const hasVideo = description === undefined || codec !== undefined;
    const inspection = {
      ...verdictOfError(error, { isSecure: url.isSecure, hasVideo }),
      video: codec === undefined ? null : { ...NOTHING_SEEN, codec },
      audio: description === undefined ? null : audioOf(description, undefined),
      mended: mendedSentences([...watched.mended, ...client.findings]),
    };
    return { isThere: description !== undefined, inspection };
  } finally {
    clearTimeout(limit);
    watched.stop();
    signal.removeEventListener('abort', onAbort);
    await client.close();
  }
}

const NOTHING_SEEN = {
  profile: null,
  width: null,
  height: null,
  fps: null,
  bFrames: false,
  packetization: null,
  keyFrames: 0,
  packets: 0,
  lost: 0,
  bitrate: 0,
  transport: null,
};

/** Counts the packets of the video track. */
class WatchedVideo {
  #media: CameraMedia | undefined;
  #packets = 0;
  #octets = 0;
  readonly #pictures = new PictureCheck();
  #hasPicture = false;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  begin(tracks: CameraTracks): void {
    this.#media = new CameraMedia({
      tracks,
      clock: systemClock,
      onVideo: (packet) => {
        this.#hasPicture = this.#pictures.add(packet, this.#media?.lost) || this.#hasPicture;
      },
      onAudio: () => {},
    });
  }

  /** Why a viewer would get no picture; undefined where it got one. */
  get fault(): PictureFault | undefined {
    return this.#hasPicture ? undefined : (this.#media?.fault ?? this.#pictures.fault);
  }

  /** What was repaired so far. */
  get mended(): ReadonlySet<Finding> {
    return this.#media?.mended ?? NOTHING_MENDED;
  }

  add(track: number, data: Buffer): void {
    const bytes = this.#media?.onRtp(track, data) ?? 0;
    if (bytes === 0) return;
    this.#packets++;
    this.#octets += bytes;
  }

  /** Resolves when enough was seen. @param watchMs with a picture; longer without. */
  enough(watchMs: number): Promise<void> {
    this.#startedAt = performance.now();
    // Steps, not time: while the panel could not read, the camera is not to blame for what was not seen.
    let steps = 0;
    return new Promise((resolve) => {
      this.#timer = setInterval(() => {
        if (++steps * STEP_MS >= watchMs * (this.#hasPicture ? 1 : PATIENCE)) resolve();
      }, STEP_MS);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#media?.stop();
  }

  finding({ video }: CameraTracks, transport: 'tcp' | 'udp'): VideoFinding {
    const { size, intervalMs: ms } = this.#media ?? {};
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const mode = video.format.parameters.get('packetization-mode');
    return {
      codec: 'H264',
      profile: profileName(video.profileLevelId),
      width: size?.width ?? null,
      height: size?.height ?? null,
      fps: ms === undefined ? null : Math.round(10_000 / ms) / 10,
      bFrames: this.#media?.hasBSlices ?? false,
      packetization: mode === '1' ? 1 : 0,
      keyFrames: this.#pictures.keyFrames,
      packets: this.#packets,
      lost: this.#media?.lost ?? 0,
      bitrate: Math.round((this.#octets * 8) / seconds),
      transport,
    };
  }
}

/** ITU-T H.264 annex A.2. */
function profileName(profileLevelId: string | undefined): string | null {
  const bytes = Buffer.from(profileLevelId ?? '', 'hex');
  const isConstrained = ((bytes[1] ?? 0) & 0x40) !== 0;
  if (bytes[0] === 66) return isConstrained ? 'Constrained Baseline' : 'Baseline';
  const names: Readonly<Record<number, string>> = { 77: 'Main', 88: 'Extended', 100: 'High' };
  return names[bytes[0] ?? -1] ?? null;
}

/** Name of the first video codec of a description; cut, since the camera wrote it. */
function videoCodecOf(description: SessionDescription | undefined): string | undefined {
  const formats = description?.media.filter(({ kind }) => kind === 'video').flatMap(({ formats }) => formats);
  return formats?.find(({ codec }) => codec !== '')?.codec.slice(0, 40);
}

function audioOf(description: SessionDescription, tracks: CameraTracks | undefined): Inspection['audio'] {
  const audio = description.media.filter(({ kind }) => kind === 'audio').flatMap(({ formats }) => formats);
  const format = tracks?.audio?.format ?? audio.find(({ codec }) => codec !== '');
  if (format === undefined) return null;
  const { codec, clockRate, channels } = format;
  return { codec: codec.slice(0, 40), clockRate, channels, forwarded: tracks?.audio?.format === format };
}
