import { NAL_DELIMITER, NAL_IDR, packed, Refragmenter, stripZeros } from './h264.ts';
import { ParameterSets, type PictureSize, parseSliceStart, type SliceStart } from './h264Sps.ts';
import { type Mending, NalReader } from './nalReader.ts';
import { isSet, NalsAhead } from './nalsAhead.ts';
import type { RtpPacket } from './rtpPacket.ts';
import { FrameInterval, SteadyTimestamps } from './timestampMap.ts';

/** One payload on its way to the viewers, of at most PAYLOAD_LIMIT bytes. */
export interface VideoPacket {
  readonly payload: Buffer;
  /** Of the camera until its clock jumps; the same for all packets of a picture, and for no other picture. */
  readonly timestamp: number;
  /** Set on the last packet of each picture, and on no other. */
  readonly marker: boolean;
  /** A new viewer can start here. */
  readonly startsKeyFrame: boolean;
}

/** Why no picture of a stream can be shown. */
export type StreamFault =
  /** Key frames came, but the parameter sets that they need did not. */
  | 'noParameterSets'
  /** Decoding could begin at recovery points only (intra refresh). Chromium 156 waits for an IDR picture for ever. */
  | 'noKeyFrame';

/** Time as a source needs it: `Clock` of the platform. */
interface SourceClock {
  now(): number;
  after(milliseconds: number, run: () => void): () => void;
}

interface H264SourceOptions {
  readonly clock: SourceClock;
  /** Takes each packet; the payload may be a view of the packet that was pushed. */
  readonly onPacket: (packet: VideoPacket) => void;
  /** Collects what was mended. */
  readonly mended?: Set<Mending>;
}

/** RTP clock of H.264 in Hz (RFC 6184 section 8.2.1). */
const CLOCK_HZ = 90_000;
/** How long a marked packet waits while it is not known whether the camera marks each slice; slices come together. */
const DOUBT_MS = 10;
/** How long the last packet waits for the next picture of a camera without usable markers: one picture, at most this. */
const HOLD_LIMIT_MS = 100;
const HOLD_MS = 40;
/** Pictures marked right after which a camera without key frames is trusted. */
const ENOUGH_RIGHT = 25;
/** Filler of three bytes (ITU-T H.264 section 7.3.2.7). It ends a picture whose last packet left without the marker. */
const FILLER = Buffer.from([0x0c, 0xff, 0x80]);
/** A delimiter before a picture of any slices (ITU-T H.264 section 7.3.2.4). */
const DELIMITER = Buffer.from([NAL_DELIMITER, 0xf0]);
const SLICE_B = 1;

/** The picture that is being put together. */
interface Picture {
  readonly timestamp: number;
  readonly part: SliceStart['part'];
  /** Decoding can start here. */
  readonly isKey: boolean;
  /** It cannot be decoded: nothing of it is sent. */
  readonly isDropped: boolean;
  /** Packets are missing in it. */
  isDamaged: boolean;
  /** The camera's marker was on the last slice so far. */
  isMarked: boolean;
  isSent: boolean;
  /** The last packet that was sent has the marker. */
  isClosed: boolean;
}

/**
 * Puts the pictures of a camera's H.264 together, whatever way it packs them: one marker at the end of each, the parameter
 * sets that it needs in front of each key frame, timestamps that go on, no payload that a browser does not decode.
 * It delays no packets, except the last of a picture while the camera's markers are unreliable.
 */
export class H264Source {
  /** What was put right so far. */
  readonly mended: Set<Mending>;
  readonly #options: H264SourceOptions;
  readonly #sets = new ParameterSets();
  readonly #reader: NalReader;
  readonly #refragmenter: Refragmenter;
  readonly #steady = new SteadyTimestamps(CLOCK_HZ);
  readonly #interval = new FrameInterval();
  /** The camera's timestamp of the present packet. */
  #timestamp: number | undefined;
  #follows = false;
  #hasSlices = false;
  #hasOthers = false;
  #picture: Picture | undefined;
  /** NAL units that belong before the next slice. */
  readonly #ahead = new NalsAhead();
  /** The last packet of the picture so far. */
  #waiting: Buffer | undefined;
  /** It is the end of a slice. */
  #endsSlice = false;
  /** The next packet is the first of a key frame. */
  #startsKeyFrame = false;
  /** Parameter sets came since the last key frame. */
  #hasSets = false;
  #hadIdr = false;
  #cancelHold = nothing;
  /** Whether the camera's markers are where they belong; undefined until a key frame has shown it. */
  #marksRight: boolean | undefined;
  #right = 0;
  #fault: StreamFault | undefined;
  #hasBSlices = false;

  /** @param parameterSets from the camera's description. */
  constructor(parameterSets: readonly Buffer[], options: H264SourceOptions) {
    this.#options = options;
    this.mended = options.mended ?? new Set();
    for (const nal of parameterSets) if (this.#sets.learn(nal) === 'broken') this.mended.add('brokenSets');
    this.#refragmenter = new Refragmenter((payload) => this.#add(payload));
    this.#reader = new NalReader(
      {
        onNal: (nal, type) => this.#onNal(nal, type),
        onFragment: (payload, starts, ends) => this.#onSlice(payload, 2, starts, ends),
      },
      this.mended,
    );
  }

  /** Picture size by the latest SPS. */
  get size(): PictureSize | undefined {
    return this.#sets.size;
  }

  /** Why nothing can be shown; undefined if there is no reason, or was none at the last key frame. */
  get fault(): StreamFault | undefined {
    return this.#fault;
  }

  /** Whether slices came that refer to later pictures. */
  get hasBSlices(): boolean {
    return this.#hasBSlices;
  }

  /** Milliseconds between two pictures; undefined before the second. */
  get intervalMs(): number | undefined {
    return this.#interval.ms;
  }

  /** By how much the last picture came later after the one before it than their timestamps say, in milliseconds. */
  get pauseMs(): number {
    return this.#steady.pauseMs;
  }

  /** How often the base of the timestamps changed. */
  get jumps(): number {
    return this.#steady.jumps;
  }

  /** A timestamp of the camera, of a sender report, as packets have it now. */
  translate(timestamp: number): number {
    return this.#steady.translate(timestamp);
  }

  /** Takes the next packet. @param follows false: packets before it were lost */
  push({ payload, timestamp, marker }: RtpPacket, follows: boolean): void {
    if (!follows && this.#picture !== undefined) this.#picture.isDamaged = true;
    if (timestamp !== this.#timestamp) {
      this.#reader.breakOff();
      this.#closePicture();
      this.#timestamp = timestamp;
      this.#interval.add(timestamp);
    }
    this.#follows = follows;
    this.#hasSlices = false;
    this.#hasOthers = false;
    this.#reader.read(payload, follows);
    this.#settle(marker);
  }

  /** Sends nothing more, and lets nothing wait. */
  stop(): void {
    this.#cancelHold();
    this.#waiting = undefined;
  }

  #onNal(nal: Buffer, type: number): void {
    if (type <= NAL_IDR) {
      this.#onSlice(nal, 1, true, true);
      return;
    }
    this.#hasOthers = true;
    // They begin the next picture, even with the timestamp of this one (ITU-T H.264 section 7.4.1.2.3).
    if (isSet(nal)) {
      if (this.#picture !== undefined) this.mended.add('setsTimestamp');
      const learned = this.#sets.learn(stripZeros(nal));
      this.#hasSets ||= learned !== 'broken';
      if (learned === 'broken') this.mended.add('brokenSets');
      if (learned !== 'new') return;
    }
    this.#ahead.push(nal);
  }

  /** @param payload a slice or a fragment of one. @param headers bytes before those of the slice */
  #onSlice(payload: Buffer, headers: number, starts: boolean, ends: boolean): void {
    this.#hasSlices = true;
    // first_mb_in_slice is 0 when the slice's first bit is 1 (ue(v)).
    if (starts && (payload[headers]! & 0x80) !== 0) this.#onFirstSlice(payload, headers);
    this.#picture ??= this.#openWithoutStart();
    const picture = this.#picture;
    picture.isClosed = false;
    if (picture.isMarked) {
      picture.isMarked = false;
      this.#distrust();
    }
    if (picture.isDropped) return;
    if (!this.#ahead.isEmpty || this.#startsKeyFrame) this.#sendAhead(picture.isKey);
    this.#refragmenter.push(payload, starts, ends);
    this.#endsSlice = ends;
  }

  #onFirstSlice(payload: Buffer, headers: number): void {
    const slice = parseSliceStart(payload.subarray(headers), (id) => this.#sets.spsOf(id));
    this.#hasBSlices ||= slice?.type === SLICE_B;
    const before = this.#picture;
    if (before !== undefined) {
      const isSecondField = before.part !== 'frame' && slice?.part !== before.part;
      if (isSecondField) return;
      this.mended.add('timestampRepeated');
      this.#closePicture();
    }
    this.#picture = this.#openPicture(slice, (payload[headers - 1]! & 0x1f) === NAL_IDR);
  }

  /**
   * The first slice is lost. Chromium puts a picture together only from a slice that is the first, or from something ahead of
   * one; without, it would wait for a key frame and show nothing until then.
   */
  #openWithoutStart(): Picture {
    if (this.#ahead.isEmpty) this.#ahead.push(DELIMITER);
    return this.#openPicture(undefined, false);
  }

  #openPicture(slice: SliceStart | undefined, isIdr: boolean): Picture {
    const { jumps } = this.#steady;
    const now = this.#options.clock.now();
    const timestamp = this.#steady.next(this.#timestamp!, now, true, this.#hasBSlices);
    if (this.#steady.jumps !== jumps) this.mended.add('timestampJump');
    const isKey = isIdr && this.#sets.isComplete;
    if (isIdr) this.#fault = isKey ? undefined : 'noParameterSets';
    else if (!this.#hadIdr && this.#ahead.hasRecoveryPoint) this.#fault = 'noKeyFrame';
    this.#hadIdr ||= isIdr;
    this.#startsKeyFrame = isKey;
    return {
      timestamp,
      part: slice?.part ?? 'frame',
      isKey,
      isDropped: isIdr && !isKey,
      isDamaged: !this.#follows,
      isMarked: false,
      isSent: false,
      isClosed: false,
    };
  }

  /** Sends what comes before a slice; before a key frame all parameter sets. */
  #sendAhead(isKey: boolean): void {
    if (!isKey || !this.#startsKeyFrame) {
      for (const payload of packed(this.#ahead.take())) this.#add(payload);
      return;
    }
    if (!this.#hasSets) this.mended.add('setsFromSdp');
    this.#hasSets = false;
    for (const payload of packed(this.#ahead.takeAround(this.#sets.inOrder()))) this.#add(payload);
  }

  /** The next packet of the picture: the one before it is not the last. */
  #add(payload: Buffer): void {
    this.#cancelHold();
    if (this.#waiting !== undefined) this.#send(this.#waiting, false);
    this.#waiting = payload;
  }

  #sendWaiting(marker: boolean): void {
    this.#cancelHold();
    const payload = this.#waiting;
    this.#waiting = undefined;
    const picture = this.#picture;
    if (payload !== undefined) this.#send(payload, marker);
    else if (marker && picture?.isSent === true && !picture.isClosed) this.#send(FILLER, true);
  }

  #send(payload: Buffer, marker: boolean): void {
    const picture = this.#picture!;
    const startsKeyFrame = this.#startsKeyFrame;
    this.#startsKeyFrame = false;
    picture.isSent = true;
    picture.isClosed = marker;
    this.#options.onPacket({ payload, timestamp: picture.timestamp, marker, startsKeyFrame });
  }

  /** The end of a packet: what of it waits to see whether it ends the picture. */
  #settle(marker: boolean): void {
    const picture = this.#picture;
    // A marker on parameter sets or SEI alone says nothing about the picture.
    const ends = marker && picture !== undefined && (this.#hasSlices || !this.#hasOthers);
    if (marker && !ends && this.#hasOthers) this.mended.add('marker');
    if (picture === undefined) return;
    if (ends) picture.isMarked = true;
    if (picture.isDropped) return;
    if (this.#marksRight === true) {
      if (ends) this.#refragmenter.flush();
      this.#sendWaiting(ends);
    } else if (this.#hasSlices && this.#waiting !== undefined) {
      if (this.#endsSlice) this.#hold(ends && this.#marksRight === undefined);
      else this.#sendWaiting(false);
    }
  }

  /** Lets the last packet wait for the next: only that shows whether it is the last of its picture. */
  #hold(isLikely: boolean): void {
    this.#waiting = Buffer.from(this.#waiting!);
    const ms = isLikely ? DOUBT_MS : Math.min(this.#interval.ms ?? HOLD_MS, HOLD_LIMIT_MS);
    this.#cancelHold();
    const cancel = this.#options.clock.after(ms, () => this.#sendWaiting(true));
    this.#cancelHold = () => {
      cancel();
      this.#cancelHold = nothing;
    };
  }

  #closePicture(): void {
    const picture = this.#picture;
    if (picture === undefined) return;
    this.#refragmenter.flush();
    this.#sendWaiting(true);
    this.#picture = undefined;
    if (!picture.isMarked) {
      if (!picture.isDamaged) this.#distrust();
    } else if (this.#marksRight === undefined && (picture.isKey || ++this.#right >= ENOUGH_RIGHT)) {
      this.#marksRight = true;
    }
  }

  #distrust(): void {
    this.#marksRight = false;
    this.mended.add('marker');
  }
}

const nothing = (): void => {};
