import type { SoundName } from './contract.ts';
import type { Pcm } from './driver.ts';

const RATE = 48_000;
/** Samples made at a time: 50 ms, so that making them never holds anyone up. */
const CHUNK = RATE / 20;
/** Loudest sample, of 1: head room for what plays at the same time. */
const PEAK = 0.7;

/** One part of a note's colour: a sine that dies away. */
interface Partial {
  /** Its frequency, as a multiple of the note's. */
  readonly ratio: number;
  readonly level: number;
  /** Seconds until it has fallen to 1/e. */
  readonly decay: number;
}

interface Note {
  /** Seconds. */
  readonly at: number;
  readonly hertz: number;
  readonly partials: readonly Partial[];
  /** Seconds that it holds its level before it is let go; a struck note has none. */
  readonly hold?: number;
}

/** A struck metal bar, as in a door chime: nearly pure, its overtones far apart and short (ratios of a free bar). */
const bar: readonly Partial[] = [
  { ratio: 1, level: 1, decay: 0.55 },
  { ratio: 2, level: 0.18, decay: 0.3 },
  { ratio: 2.756, level: 0.14, decay: 0.16 },
  { ratio: 5.404, level: 0.05, decay: 0.06 },
];

/** A church bell: hum, prime, a minor third, fifth, nominal and above; the low ones ring longest. */
const churchBell: readonly Partial[] = [
  { ratio: 0.5, level: 0.5, decay: 1.3 },
  { ratio: 1, level: 0.7, decay: 0.9 },
  { ratio: 1.2, level: 0.5, decay: 0.8 },
  { ratio: 1.5, level: 0.25, decay: 0.55 },
  { ratio: 2, level: 0.8, decay: 0.6 },
  { ratio: 2.5, level: 0.2, decay: 0.35 },
  { ratio: 3, level: 0.2, decay: 0.25 },
  { ratio: 4.1, level: 0.12, decay: 0.15 },
];

/** A bright reed: the first harmonics, which carry through a closed door. */
const reed: readonly Partial[] = [1, 2, 3, 4, 5].map((ratio) => ({
  ratio,
  level: 1 / ratio ** 1.3,
  decay: 0.035,
}));

/** Hertz of notes of the equal-tempered scale. */
const [C5, E5, G5, A5, C6] = [523.25, 659.26, 783.99, 880, 1046.5] as const;

interface Score {
  readonly seconds: number;
  /** Makes all as loud to the ear: many partials seldom meet at their peaks. */
  readonly drive: number;
  readonly notes: readonly Note[];
}

/** The built-in sounds as scores. Their length leaves the pause that a repetition needs. */
const scores: Readonly<Record<SoundName, Score>> = {
  chime: {
    seconds: 2,
    drive: 1,
    notes: [
      { at: 0, hertz: E5, partials: bar },
      { at: 0.42, hertz: C5, partials: bar },
    ],
  },
  alert: {
    seconds: 2,
    drive: 1,
    notes: [C5, E5, G5, C6].map((hertz, index) => ({ at: 0.11 * index, hertz, partials: bar })),
  },
  alarm: {
    seconds: 2,
    drive: 1.6,
    notes: [0, 0.25, 0.5, 0.75, 1, 1.25].map((at, index) => ({
      at,
      hertz: index % 2 === 0 ? A5 : E5,
      partials: reed,
      hold: 0.2,
    })),
  },
  bell: { seconds: 3.5, drive: 1.8, notes: [{ at: 0, hertz: G5, partials: churchBell }] },
};

/** Seconds in which a note rises; a sudden one would click. */
const ATTACK = 0.004;
/** Seconds in which the end of a sound fades to nothing. */
const FADE = 0.05;

/** A built-in sound: computed while it plays, by adding the sines of its notes. */
export function tone(name: SoundName): Pcm {
  return { format: { rate: RATE, channels: 1 }, chunks: samplesOf(name) };
}

function* samplesOf(name: SoundName): Generator<Uint8Array> {
  const { seconds, drive, notes } = scores[name];
  const total = Math.round(seconds * RATE);
  // The sum of all levels of a note is the most that it can reach; notes that ring into each other share the rest.
  const loudest = Math.max(
    ...notes.map(({ partials }) => partials.reduce((sum, { level }) => sum + level, 0)),
  );
  for (let from = 0; from < total; from += CHUNK) {
    const chunk = new Int16Array(Math.min(CHUNK, total - from));
    for (let i = 0; i < chunk.length; i++) {
      const time = (from + i) / RATE;
      let sum = 0;
      for (const note of notes) sum += sampleOf(note, time - note.at);
      const fade = Math.min(1, (seconds - time) / FADE);
      chunk[i] = Math.round(32_767 * PEAK * fade * Math.tanh((drive * sum) / loudest));
    }
    yield new Uint8Array(chunk.buffer);
  }
}

/** A note, so many seconds after it was struck. */
function sampleOf({ hertz, partials, hold = 0 }: Note, time: number): number {
  if (time < 0 || time > hold + 8 * partials[0]!.decay) return 0;
  const rise = time < ATTACK ? 0.5 - 0.5 * Math.cos((Math.PI * time) / ATTACK) : 1;
  const sinceRelease = Math.max(0, time - hold);
  let sum = 0;
  for (const { ratio, level, decay } of partials)
    sum += level * Math.exp(-sinceRelease / decay) * Math.sin(2 * Math.PI * hertz * ratio * time);
  return rise * sum;
}
