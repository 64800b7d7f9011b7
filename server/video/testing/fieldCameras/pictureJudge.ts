import type { VideoPacket } from '../../../webrtc/rtp/h264Source.ts';
import { TimestampMap } from '../../../webrtc/rtp/timestampMap.ts';
import type { FeedSink } from '../../cameraFeed.ts';
import type { FieldClip, FieldPicture } from './fieldVideo.ts';

/** More would say nothing new. */
const MOST_FAULTS = 5;
/** How far our timestamps may run ahead of the time that passed; a longer step freezes a browser. */
const AHEAD_MS = 2_000;

/** A viewer that looks at every picture as a decoder would, and at its bytes as only the camera could. */
export class PictureJudge implements FeedSink {
  readonly faults: string[] = [];
  pictures = 0;
  keyFrames = 0;
  readonly #clip: FieldClip;
  /** Place of each picture by its first slice. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #timestamps = new TimestampMap(90_000);
  #waitsForKeyFrame = true;
  #nals: Buffer[] = [];
  #fragment: Buffer[] | undefined;
  /** Our timestamp of the picture that is coming, or was the last. */
  #timestamp: number | undefined;
  /** When it came. */
  #cameAt = performance.now();
  #isMarked = true;
  #place: number | undefined;
  #sps: Buffer | undefined;
  #pps: Buffer | undefined;

  constructor(clip: FieldClip) {
    this.#clip = clip;
    this.#places = new Map(clip.map(({ slices }, at) => [slices[0]!.toString('latin1'), at]));
  }

  onAudio(): void {}

  onRestart(): void {
    this.#timestamps.restart();
    this.#waitsForKeyFrame = true;
    this.#isMarked = true;
    this.#nals = [];
    this.#fragment = undefined;
    this.#place = undefined;
  }

  onVideo(packet: VideoPacket): void {
    if (this.#waitsForKeyFrame && !packet.startsKeyFrame) return;
    this.#waitsForKeyFrame = false;
    this.#judgeTimestamp(this.#timestamps.map(packet.timestamp));
    this.#take(packet.payload);
    this.#isMarked = packet.marker;
    if (packet.marker) this.#judgePicture();
  }

  #judgeTimestamp(timestamp: number): void {
    const before = this.#timestamp;
    const passed = performance.now() - this.#cameAt;
    this.#timestamp = timestamp;
    if (before === undefined) return;
    if (timestamp === before) {
      if (this.#isMarked) this.#blame('goes on behind the marker');
      return;
    }
    if (!this.#isMarked) {
      this.#blame('ends without a marker');
      this.#judgePicture();
    }
    const step = (timestamp - before) | 0;
    this.#cameAt = performance.now();
    if (step <= 0 || step / 90 > passed + AHEAD_MS) this.#blame(`steps by ${step / 90_000} s`);
  }

  /** Takes a payload apart (RFC 6184 section 5.4). */
  #take(payload: Buffer): void {
    const type = payload[0]! & 0x1f;
    if (type === 28) {
      const header = payload[1]!;
      if (header & 0x80) this.#fragment = [Buffer.from([(payload[0]! & 0xe0) | (header & 0x1f)])];
      if (this.#fragment === undefined) this.#blame('has a fragment without its start');
      this.#fragment?.push(payload.subarray(2));
      if ((header & 0x40) === 0) return;
      this.#nals.push(Buffer.concat(this.#fragment ?? []));
      this.#fragment = undefined;
    } else if (type === 24) {
      for (let at = 1; at + 2 < payload.length; at += 2 + payload.readUInt16BE(at))
        this.#nals.push(payload.subarray(at + 2, at + 2 + payload.readUInt16BE(at)));
    } else this.#nals.push(payload);
  }

  #judgePicture(): void {
    const nals = this.#nals;
    this.#nals = [];
    if (this.#fragment !== undefined) this.#blame('ends within a fragment');
    this.#fragment = undefined;
    if (nals.some((nal) => nal.includes('\0\0\u0001', 0, 'latin1'))) this.#blame('has a start code');
    for (const nal of nals) {
      if ((nal[0]! & 0x1f) === 7) this.#sps = Buffer.from(nal);
      if ((nal[0]! & 0x1f) === 8) this.#pps = Buffer.from(nal);
    }
    const slices = nals.filter((nal) => [1, 5].includes(nal[0]! & 0x1f));
    const place = slices.length === 0 ? undefined : this.#places.get(slices[0]!.toString('latin1'));
    if (slices.length === 0) this.#blame(`has no slices (${nals.map((nal) => nal[0]! & 0x1f)})`);
    else if (place === undefined) this.#blame('is none of the camera');
    if (place === undefined) return;
    this.#judgeContent(slices, this.#clip[place]!);
    const next = this.#place === undefined ? place : (this.#place + 1) % this.#clip.length;
    if (place !== next) this.#blame(`is ${place} where ${next} was due`);
    this.#place = place;
    this.pictures++;
  }

  #judgeContent(slices: readonly Buffer[], picture: FieldPicture): void {
    if (slices.length !== picture.slices.length || !slices.every((it, at) => it.equals(picture.slices[at]!)))
      this.#blame('has not the slices that it was sent with');
    if (!picture.isKey) return;
    this.keyFrames++;
    if (!this.#sps?.equals(picture.sps) || !this.#pps?.equals(picture.pps))
      this.#blame('is a key frame without its parameter sets');
  }

  #blame(what: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push(`picture ${this.pictures} ${what}`);
  }
}
