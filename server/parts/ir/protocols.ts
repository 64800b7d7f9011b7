import { type HeardCode, IR_LIMITS, type IrCode, type IrProtocol } from './contract.ts';

/** A code as a port sends it: microseconds of light and darkness in turn, light first and light last. */
export interface Signal {
  readonly timings: readonly number[];
  /** In Hz. */
  readonly carrier: number;
}

/** The frame of a protocol, and what follows while the key is held. */
interface Frame {
  readonly timings: number[];
  /** What further frames are; the frame itself where it is left out. */
  readonly again?: number[];
  /** From the begin of one frame to the begin of the next, in microseconds. */
  readonly period: number;
}

interface Protocol {
  readonly carrier: number;
  /** Fewest frames of one key. */
  readonly least?: number;
  encode(code: IrCode, toggle: boolean): Frame;
  /** The key of one frame; undefined where it is none of this protocol. */
  decode(timings: readonly number[]): Omit<HeardCode, 'protocol'> | undefined;
}

/** NEC and its kin: 562.5 us (NEC Electronics, "Remote control: infrared transmission format"). */
const NEC_UNIT = 562.5;
const NEC_PERIOD = 108_000;
const NEC_LEADER = [9_000, 4_500] as const;
const NEC_AGAIN = [9_000, 2_250, 563] as const;
const SAMSUNG_LEADER = [4_500, 4_500] as const;
/** RC-5: half a bit, 32 cycles of 36 kHz (Philips SAA3010). */
const RC5_HALF = 889;
const RC5_PERIOD = 113_792;
/** RC-6 mode 0: 16 cycles of 36 kHz (Philips). */
const RC6_UNIT = 444;
const RC6_PERIOD = 107_000;
/** SIRC: 600 us, a frame each 45 ms. */
const SONY_UNIT = 600;
const SONY_PERIOD = 45_000;

/** Bits of a number, the lowest first. */
const bitsOf = (value: number, count: number) =>
  Array.from({ length: count }, (_, bit) => (value >> bit) & 1);
const numberOf = (bits: readonly number[]) => bits.reduce((sum, bit, index) => sum + bit * 2 ** index, 0);
const inverse = (byte: number) => byte ^ 0xff;

/** Whether a time is near what it should be: receivers make light longer and darkness shorter by about 80 us. */
function isNear(us: number | undefined, wanted: number): boolean {
  return us !== undefined && Math.abs(us - wanted) <= Math.max(180, wanted * 0.25);
}

/** Pulse distance: each bit is light of one unit, and darkness of one or three. */
function distanceFrame(leader: readonly number[], bytes: readonly number[]): number[] {
  const bits = bytes.flatMap((byte) => bitsOf(byte, 8));
  return [
    ...leader,
    ...bits.flatMap((bit) => [Math.round(NEC_UNIT), Math.round(bit === 1 ? 3 * NEC_UNIT : NEC_UNIT)]),
    Math.round(NEC_UNIT),
  ];
}

/** The four bytes behind a leader; undefined where they are none. */
function distanceBytes(timings: readonly number[], leader: readonly [number, number]): number[] | undefined {
  if (timings.length !== 67 || !isNear(timings[0], leader[0]) || !isNear(timings[1], leader[1]))
    return undefined;
  const bits: number[] = [];
  for (let index = 2; index < 66; index += 2) {
    if (!isNear(timings[index], NEC_UNIT)) return undefined;
    const isOne = isNear(timings[index + 1], 3 * NEC_UNIT);
    if (!isOne && !isNear(timings[index + 1], NEC_UNIT)) return undefined;
    bits.push(isOne ? 1 : 0);
  }
  if (!isNear(timings[66], NEC_UNIT)) return undefined;
  return [0, 8, 16, 24].map((at) => numberOf(bits.slice(at, at + 8)));
}

/** A frame whose command has its inverse behind it; undefined for others. */
function checkedBytes(timings: readonly number[], leader: readonly [number, number]) {
  const bytes = distanceBytes(timings, leader);
  if (bytes === undefined || bytes[3] !== inverse(bytes[2]!)) return undefined;
  return { low: bytes[0]!, high: bytes[1]!, command: bytes[2]! };
}

/** Levels of half bits as times: equal neighbours together, without the darkness at both ends. */
function timesOf(levels: readonly boolean[], unit: number): number[] {
  const times: number[] = [];
  let before: boolean | undefined;
  for (const level of levels) {
    if (level === before) times[times.length - 1]! += unit;
    else if (level || times.length > 0) times.push(unit);
    before = level;
  }
  return times.length % 2 === 0 ? times.slice(0, -1) : times;
}

/** The other way round; undefined where a time is no multiple of the unit. @param most of units of one time */
function levelsOf(timings: readonly number[], unit: number, most: number): boolean[] | undefined {
  const levels: boolean[] = [];
  for (const [index, us] of timings.entries()) {
    const isLight = index % 2 === 0;
    const units = Math.round((us + (isLight ? -40 : 40)) / unit);
    if (units < 1 || units > most || !isNear(us, units * unit)) return undefined;
    for (let count = 0; count < units; count++) levels.push(isLight);
  }
  return levels;
}

/** Bits of two halves each. @param first of a one: light (RC-6) or darkness (RC-5) */
function halvesOf(bits: readonly number[], first: boolean): boolean[] {
  return bits.flatMap((bit) => (bit === 1 ? [first, !first] : [!first, first]));
}

function bitsOfHalves(levels: readonly boolean[], first: boolean): number[] | undefined {
  const bits: number[] = [];
  for (let at = 0; at < levels.length; at += 2) {
    // The darkness at the end of the last bit is not seen.
    const second = levels[at + 1] ?? false;
    if (levels[at] === second) return undefined;
    bits.push(levels[at] === first ? 1 : 0);
  }
  return bits;
}

const highFirst = (value: number, count: number) => bitsOf(value, count).reverse();
const valueHighFirst = (bits: readonly number[]) => numberOf([...bits].reverse());

const nec = {
  carrier: 38_000,
  encode: ({ address, command }) => ({
    timings: distanceFrame(NEC_LEADER, [address, inverse(address), command, inverse(command)]),
    again: [...NEC_AGAIN],
    period: NEC_PERIOD,
  }),
  decode(timings) {
    const read = checkedBytes(timings, NEC_LEADER);
    return read && read.high === inverse(read.low) ? { address: read.low, command: read.command } : undefined;
  },
} satisfies Protocol;

function sony(addressBits: readonly number[]): Protocol {
  const count = 7 + addressBits.reduce((sum, bits) => sum + bits, 0);
  return {
    carrier: 40_000,
    least: 3,
    encode: ({ address, command }) => ({
      timings: [
        4 * SONY_UNIT,
        ...[...bitsOf(command, 7), ...bitsOf(address, count - 7)].flatMap((bit) => [
          SONY_UNIT,
          (1 + bit) * SONY_UNIT,
        ]),
      ],
      period: SONY_PERIOD,
    }),
    decode(timings) {
      if (timings.length !== 2 * count + 1 || !isNear(timings[0], 4 * SONY_UNIT)) return undefined;
      const bits: number[] = [];
      for (let index = 1; index < timings.length; index += 2) {
        const light = timings[index + 1]!;
        if (!isNear(timings[index], SONY_UNIT) || light < 400 || light > 1_500) return undefined;
        bits.push(light > 1.5 * SONY_UNIT + 40 ? 1 : 0);
      }
      return { command: numberOf(bits.slice(0, 7)), address: numberOf(bits.slice(7)) };
    },
  };
}

const protocols: Readonly<Record<IrProtocol, Protocol>> = {
  nec,
  necx: {
    ...nec,
    encode: ({ address, command }) => ({
      timings: distanceFrame(NEC_LEADER, [address & 0xff, address >> 8, command, inverse(command)]),
      again: [...NEC_AGAIN],
      period: NEC_PERIOD,
    }),
    decode(timings) {
      const read = checkedBytes(timings, NEC_LEADER);
      return read && { address: read.low + 256 * read.high, command: read.command };
    },
  },
  samsung32: {
    carrier: 38_000,
    encode: ({ address, command }) => ({
      timings: distanceFrame(SAMSUNG_LEADER, [
        address & 0xff,
        address > 0xff ? address >> 8 : address,
        command,
        inverse(command),
      ]),
      period: NEC_PERIOD,
    }),
    decode(timings) {
      const read = checkedBytes(timings, SAMSUNG_LEADER);
      if (read === undefined) return undefined;
      const { low, high, command } = read;
      return { address: low === high ? low : low + 256 * high, command };
    },
  },
  rc5: {
    carrier: 36_000,
    encode: ({ address, command }, toggle) => {
      // The second start bit is the inverse of the seventh bit of the command.
      const bits = [
        1,
        command > 63 ? 0 : 1,
        toggle ? 1 : 0,
        ...highFirst(address, 5),
        ...highFirst(command & 63, 6),
      ];
      return { timings: timesOf(halvesOf(bits, false), RC5_HALF), period: RC5_PERIOD };
    },
    decode(timings) {
      const levels = levelsOf(timings, RC5_HALF, 2);
      // The darkness before the first light belongs to the first bit.
      const bits = levels && bitsOfHalves([false, ...levels], false);
      if (bits?.length !== 14 || bits[0] !== 1) return undefined;
      return {
        address: valueHighFirst(bits.slice(3, 8)),
        command: valueHighFirst(bits.slice(8)) + (bits[1] === 0 ? 64 : 0),
      };
    },
  },
  rc6: {
    carrier: 36_000,
    encode: ({ address, command }, toggle) => {
      const bit = toggle ? 1 : 0;
      const levels = [
        ...halvesOf([1, 0, 0, 0], true),
        // The toggle has bits of twice the length.
        ...halvesOf([bit], true).flatMap((level) => [level, level]),
        ...halvesOf([...highFirst(address, 8), ...highFirst(command, 8)], true),
      ];
      return { timings: [6 * RC6_UNIT, 2 * RC6_UNIT, ...timesOf(levels, RC6_UNIT)], period: RC6_PERIOD };
    },
    decode(timings) {
      if (!isNear(timings[0], 6 * RC6_UNIT) || !isNear(timings[1], 2 * RC6_UNIT)) return undefined;
      const levels = levelsOf(timings.slice(2), RC6_UNIT, 3);
      if (levels === undefined) return undefined;
      const head = bitsOfHalves(levels.slice(0, 8), true);
      const toggle = levels.slice(8, 12);
      const bits = bitsOfHalves(levels.slice(12), true);
      if (head?.join('') !== '1000' || bits?.length !== 16) return undefined;
      if (toggle[0] !== toggle[1] || toggle[2] !== toggle[3] || toggle[0] === toggle[2]) return undefined;
      return { address: valueHighFirst(bits.slice(0, 8)), command: valueHighFirst(bits.slice(8)) };
    },
  },
  sony12: sony([5]),
  sony15: sony([8]),
  sony20: sony([5, 8]),
};

/** Whether each press of a key changes a bit of its frame, so that a held key differs from a second press. */
export const hasToggle = (name: IrProtocol) => name === 'rc5' || name === 'rc6';

/** The carrier of a protocol, in Hz. */
export const carrierOf = (name: IrProtocol) => protocols[name].carrier;

/** One key with its further frames. @param repeat how many @param toggle of RC5 and RC6 */
export function encode(code: IrCode, repeat: number, toggle: boolean): Signal {
  const { carrier, least = 1, encode: frameOf } = protocols[code.protocol];
  const { timings, again = timings, period } = frameOf(code, toggle);
  const all = [...timings];
  let before = timings;
  for (let count = Math.max(repeat, least - 1); count > 0; count--) {
    all.push(period - sum(before), ...again);
    before = again;
  }
  return { timings: all, carrier };
}

/**
 * The key of a frame as a receiver sees it. Of several frames it reads the first.
 * @param last the key before, which a repeat frame of NEC stands for
 */
export function decode(timings: readonly number[], last?: HeardCode): HeardCode | null {
  const frame = firstFrame(timings);
  if (frame.length === 3 && NEC_AGAIN.every((us, index) => isNear(frame[index], us))) {
    if (last?.protocol !== 'nec' && last?.protocol !== 'necx') return null;
    return { ...last, repeat: true };
  }
  for (const [name, { decode: keyOf }] of Object.entries(protocols) as [IrProtocol, Protocol][]) {
    const key = keyOf(frame);
    if (key !== undefined) return { protocol: name, ...key };
  }
  return null;
}

/** The first of several frames: up to a gap. */
export function firstFrame(timings: readonly number[]): readonly number[] {
  const gap = timings.findIndex((us, index) => index % 2 === 1 && us >= IR_LIMITS.gapUs);
  return gap < 0 ? timings : timings.slice(0, gap);
}

/** @returns microseconds */
export const sum = (timings: readonly number[]) => timings.reduce((total, us) => total + us, 0);
