import { FakeClock } from '../../testing/fakeClock.ts';
import { H264Source, type VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import { nalsOf } from './depacketize.ts';

/** One RTP packet of a camera; the marker is not set unless it says so. */
export interface Sent {
  readonly timestamp: number;
  readonly payload: Buffer;
  readonly marker?: boolean;
}

/** A picture as a viewer gets it. */
interface Shown {
  readonly timestamp: number;
  readonly nals: readonly Buffer[];
  /** Index of each packet with the marker, and how many packets there are. */
  readonly markers: readonly number[];
  readonly packets: number;
  readonly startsKeyFrame: boolean;
}

/** A source whose time stands still until the test moves it, and what came out of it. */
export class WatchedSource {
  readonly clock = new FakeClock();
  readonly packets: VideoPacket[] = [];
  readonly source: H264Source;
  #sequence = 0;

  constructor(parameterSets: readonly Buffer[] = []) {
    this.source = new H264Source(parameterSets, {
      clock: this.clock,
      // A copy: the payload is only a view.
      onPacket: (packet) => this.packets.push({ ...packet, payload: Buffer.from(packet.payload) }),
    });
  }

  /** @param isLost packets before this one were lost. @returns what came out at once */
  push({ timestamp, payload, marker = false }: Sent, isLost = false): VideoPacket[] {
    const before = this.packets.length;
    const sequence = this.#sequence++ & 0xffff;
    this.source.push({ payloadType: 96, sequence, timestamp: timestamp >>> 0, marker, payload }, !isLost);
    return this.packets.slice(before);
  }

  /** The pictures so far: packets with one timestamp. */
  get pictures(): Shown[] {
    const groups: VideoPacket[][] = [];
    for (const packet of this.packets) {
      if (groups.at(-1)?.[0]?.timestamp === packet.timestamp) groups.at(-1)!.push(packet);
      else groups.push([packet]);
    }
    return groups.map((packets) => ({
      timestamp: packets[0]!.timestamp,
      nals: nalsOf(packets.map(({ payload }) => payload)),
      markers: packets.flatMap(({ marker }, index) => (marker ? [index] : [])),
      packets: packets.length,
      startsKeyFrame: packets[0]!.startsKeyFrame,
    }));
  }

  /** Each picture as its NAL types, `K` in front where a viewer can start, `M` behind each packet with the marker. */
  get shape(): string[] {
    return this.pictures.map(({ nals, markers, packets, startsKeyFrame }) => {
      const isGood = markers.length === 1 && markers[0] === packets - 1;
      const types = nals.map((nal) => nal[0]! & 31).join(' ');
      return `${startsKeyFrame ? 'K ' : ''}${types}${isGood ? '' : ` markers ${markers} of ${packets}`}`;
    });
  }
}

/** Time from one picture to the next, on the camera's clock and in milliseconds. */
export const FRAME = 3_600;
const FRAME_MS = 40;

/** Where a camera sets the marker. */
export type Marks = 'right' | 'never' | 'all' | 'sets' | 'slices';

/** A picture of a camera that packs each NAL unit alone. */
export function picture(timestamp: number, nals: readonly Buffer[], marks: Marks = 'right'): Sent[] {
  return nals.map((payload, index) => {
    const isLast = index === nals.length - 1;
    const type = payload[0]! & 31;
    const marker = {
      right: isLast,
      never: false,
      all: true,
      sets: isLast || type === 7 || type === 8,
      slices: type === 1 || type === 5 || (type === 28 && (payload[1]! & 0x40) !== 0),
    }[marks];
    return { timestamp, payload, marker };
  });
}

/** Pushes pictures at their time. */
export async function play(watched: WatchedSource, pictures: readonly (readonly Sent[])[]): Promise<void> {
  for (const packets of pictures) {
    for (const packet of packets) watched.push(packet);
    await watched.clock.advance(FRAME_MS);
  }
}

/** Pictures of which each fourth is a key frame. */
export const group = (
  count: number,
  key: readonly Buffer[],
  delta: readonly Buffer[],
  marks: Marks,
): Sent[][] => Array.from({ length: count }, (_, i) => picture(i * FRAME, i % 4 === 0 ? key : delta, marks));
