import { type ErrorCode, FaceplateError } from '../contract/errors.ts';
import { startsBSlice } from '../webrtc/rtp/h264.ts';
import { H264Source } from '../webrtc/rtp/h264Source.ts';
import { LossCounter, parseRtpPacket } from '../webrtc/rtp/rtpPacket.ts';
import type { MediaLimits } from './limits.ts';
import type { CameraAccess, CameraUrl } from './rtsp/cameraUrl.ts';
import { RtspClient } from './rtsp/client.ts';
import { noAnswer } from './rtsp/failure.ts';
import type { SessionDescription } from './rtsp/sdp.ts';
import { type CameraTracks, chooseTracks, FrameInterval } from './tracks.ts';

/** Factor on the watching time while there is no key frame. */
const PATIENCE = 3;
const STEP_MS = 100;

interface InspectOptions {
  readonly url: CameraUrl;
  readonly limits: MediaLimits;
  readonly access: CameraAccess;
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
}

type VideoFinding = Finding & {
  readonly codec: string;
  readonly profile: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly fps: number | null;
  readonly packetization: number | null;
  readonly lost: number;
  readonly bitrate: number;
  readonly transport: 'tcp' | 'udp' | null;
};

/**
 * Dials a camera, watches its media for a few seconds and predicts how it plays in a browser. A fault of the camera is
 * a verdict, not an error.
 * @throws FaceplateError FORBIDDEN, or the reason of `signal`.
 */
export async function inspectCamera({ url, limits, access, signal }: InspectOptions): Promise<Inspection> {
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
    sink: { onRtp: (_track, packet) => watched.add(packet), onRtcp: () => {} },
    onClosed: ended.reject,
  });
  let description: SessionDescription | undefined;
  try {
    signal.throwIfAborted();
    description = await Promise.race([client.describe(), ended.promise]);
    const tracks = chooseTracks(description);
    watched.begin(tracks);
    await Promise.race([client.play([tracks.video.media]), ended.promise]);
    clearTimeout(limit);
    await Promise.race([watched.enough(limits.inspectMs), ended.promise]);
    const video = watched.finding(tracks, client.transport);
    return { ...verdictOf(video), video, audio: audioOf(description, tracks) };
  } catch (error) {
    if (signal.aborted || !(error instanceof FaceplateError) || error.code === 'FORBIDDEN') throw error;
    const codec = videoCodecOf(description);
    const hasVideo = description === undefined || codec !== undefined;
    return {
      ...verdictOfError(error, { isSecure: url.isSecure, hasVideo }),
      video: codec === undefined ? null : { ...NOTHING_SEEN, codec },
      audio: description === undefined ? null : audioOf(description, undefined),
    };
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
  #source = new H264Source([]);
  #payloadType = -1;
  readonly #loss = new LossCounter();
  readonly #interval = new FrameInterval();
  #packets = 0;
  #octets = 0;
  #keyFrames = 0;
  #hasBSlices = false;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  begin({ video }: CameraTracks): void {
    this.#source = new H264Source(video.parameterSets);
    this.#payloadType = video.format.payloadType;
  }

  add(data: Buffer): void {
    const packet = parseRtpPacket(data);
    if (packet?.payloadType !== this.#payloadType) return;
    this.#packets++;
    this.#octets += packet.payload.length;
    this.#loss.add(packet.sequence);
    this.#interval.add(packet.timestamp);
    this.#hasBSlices ||= startsBSlice(packet.payload);
    for (const video of this.#source.push(packet)) if (video.startsKeyFrame) this.#keyFrames++;
  }

  /** Resolves when enough was seen. @param watchMs with a key frame; longer without. */
  enough(watchMs: number): Promise<void> {
    this.#startedAt = performance.now();
    return new Promise((resolve) => {
      this.#timer = setInterval(() => {
        const elapsed = performance.now() - this.#startedAt;
        if (elapsed >= watchMs * (this.#keyFrames > 0 ? 1 : PATIENCE)) resolve();
      }, STEP_MS);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  finding({ video }: CameraTracks, transport: 'tcp' | 'udp'): VideoFinding {
    const { size } = this.#source;
    const { ms } = this.#interval;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const mode = video.format.parameters.get('packetization-mode');
    return {
      codec: 'H264',
      profile: profileName(video.profileLevelId),
      width: size?.width ?? null,
      height: size?.height ?? null,
      fps: ms === undefined ? null : Math.round(10_000 / ms) / 10,
      bFrames: this.#hasBSlices,
      packetization: mode === '1' ? 1 : 0,
      keyFrames: this.#keyFrames,
      packets: this.#packets,
      lost: this.#loss.lost,
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

/** The observations of the video that the verdict needs. */
interface Finding {
  readonly bFrames: boolean;
  readonly keyFrames: number;
  readonly packets: number;
}

type CameraCode = Extract<ErrorCode, `CAMERA_${string}` | 'UNSUPPORTED_CODEC'>;
type InspectionCode =
  | CameraCode
  | 'OK'
  | 'B_FRAMES'
  | 'NO_VIDEO'
  | 'NO_MEDIA'
  | 'NO_KEY_FRAME'
  | 'CAMERA_TLS';

interface Verdict {
  readonly ok: boolean;
  readonly code: InspectionCode;
  /** One sentence. */
  readonly verdict: string;
  /** What to change; empty if nothing. */
  readonly hint: string;
}

const HINTS: Readonly<Record<CameraCode, string>> = {
  UNSUPPORTED_CODEC:
    'Set the video encoding of this stream to H.264 in the camera, without "+" or "smart" variants, or use the URL of its second stream.',
  CAMERA_UNREACHABLE:
    'Check power, network and address, and that RTSP is switched on in the camera (usually port 554).',
  CAMERA_UNAUTHORIZED:
    'Put the login of a camera user who may watch video into the URL or the setting streams.logins; in the URL write @ : / in a password as %40 %3A %2F. Many cameras lock a user for minutes after wrong logins.',
  CAMERA_NOT_FOUND: "Look up the RTSP path of the stream in the camera's manual or its ONVIF profile.",
  CAMERA_PROTOCOL:
    "Check that the port is the camera's RTSP port and the path that of a video stream; close other viewers, since cameras serve only a few.",
  CAMERA_TIMEOUT:
    'Restart the camera; if it stays silent, a firewall may drop the connection, or the camera serves too many viewers.',
};

/** The verdict on a camera that played. */
function verdictOf({ bFrames, keyFrames, packets }: Finding): Verdict {
  if (packets === 0) {
    return {
      ok: false,
      code: 'NO_MEDIA',
      verdict: 'The camera answers and starts the stream, but sends no video.',
      hint: 'Restart the camera, and check that this stream is switched on in its video settings.',
    };
  }
  if (keyFrames === 0) {
    return {
      ok: false,
      code: 'NO_KEY_FRAME',
      verdict:
        'The camera sends video, but no key frame for many seconds, so viewers wait long for a picture.',
      hint: 'Set the I-frame interval (GOP length) to one or two seconds, and no intra refresh.',
    };
  }
  if (bFrames) {
    return {
      ok: false,
      code: 'B_FRAMES',
      verdict: 'The camera sends B-frames, which WebRTC players show jerkily or not at all.',
      hint: 'Switch B-frames off in the camera, or set the profile to Baseline.',
    };
  }
  return { ok: true, code: 'OK', verdict: 'The camera plays in a browser.', hint: '' };
}

/** The verdict on a camera that could not be played. */
function verdictOfError(
  error: FaceplateError,
  { isSecure, hasVideo }: { readonly isSecure: boolean; readonly hasVideo: boolean },
): Verdict {
  const verdict = error.message;
  if (!hasVideo) {
    return {
      ok: false,
      code: 'NO_VIDEO',
      verdict: 'The camera describes no video at this path.',
      hint: 'Use the path of a video stream; this one may carry sound or metadata only.',
    };
  }
  const code: CameraCode = isCameraCode(error.code) ? error.code : 'CAMERA_PROTOCOL';
  if (isSecure && code === 'CAMERA_PROTOCOL') {
    const hint =
      "Trust its certificate on the settings page, install one that the panel's system trusts, or use the camera's rtsp:// address.";
    return { ok: false, code: 'CAMERA_TLS', verdict, hint };
  }
  return { ok: false, code, verdict, hint: HINTS[code] };
}

function isCameraCode(code: ErrorCode): code is CameraCode {
  return Object.hasOwn(HINTS, code);
}
