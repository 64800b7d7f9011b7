import { FaceplateError } from '../../contract/errors.ts';
import { IR_FORMS, IR_LIMITS, type IrSending } from './contract.ts';
import { carrierOf, encode, type Signal, sum } from './protocols.ts';

/** Between the values of a raw code and the same again, in microseconds. */
const RAW_GAP = 40_000;
/** The carrier of a code that names none, in Hz. */
export const DEFAULT_CARRIER = 38_000;
/** One step of the frequency word of Pronto, as a frequency in Hz: 1 / 0.241246 us. */
const PRONTO_CLOCK = 4_145_146;
/** Pairs of light and darkness in one code; the values have their own bound. */
const MOST_PAIRS = (IR_LIMITS.values + 1) / 2;
/** Sends of one `sendir` (iTach API). */
const MOST_SENDIR = 50;

/** A part of a code: pairs of light and darkness in microseconds. */
type Pairs = readonly number[];

function wrong(field: string, sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', `${field} ${sentence}.`, { field });
}

/**
 * What a call sends.
 * @param toggle of RC5 and RC6, which changes with each key
 * @throws FaceplateError INVALID_REQUEST with the field
 */
export function signalOf(sending: IrSending, toggle: boolean): Signal {
  const { repeat = 0, carrier, code } = sending;
  const form = IR_FORMS.find((each) => sending[each] !== undefined) ?? 'code';
  const read = (): Signal => {
    if (code !== undefined) {
      const signal = encode(code, repeat, toggle);
      return { ...signal, carrier: carrier ?? carrierOf(code.protocol) };
    }
    if (sending.pronto !== undefined) return ofPronto(sending.pronto, repeat);
    if (sending.sendir !== undefined) return ofSendir(sending.sendir).signal;
    return { timings: repeated(sending.timings!, repeat), carrier: carrier ?? DEFAULT_CARRIER };
  };
  const signal = read();
  check(form, signal.timings);
  return signal;
}

/** Raw values, and the same again after a pause. */
function repeated(values: readonly number[], repeat: number): number[] {
  const all = [...values];
  for (let count = 0; count < repeat; count++) all.push(RAW_GAP, ...values);
  return all;
}

/** @throws FaceplateError INVALID_REQUEST where no driver could send it */
function check(field: string, timings: readonly number[]): void {
  for (const us of timings)
    if (us < 1 || us > IR_LIMITS.valueUs)
      throw wrong(field, `has a time of ${us} us; each must be 1 to ${IR_LIMITS.valueUs} us`);
  const total = sum(timings);
  if (total > IR_LIMITS.totalUs)
    throw wrong(field, `takes ${Math.round(total / 1_000)} ms with its repetitions; at most 10000 ms`);
  if (!hasGaps(timings)) throw wrong(field, 'has more than 500 ms without a gap of 5 ms');
}

function hasGaps(timings: readonly number[]): boolean {
  let piece = 0;
  for (const [index, us] of timings.entries()) {
    const isGap = index % 2 === 1 && us >= IR_LIMITS.gapUs;
    piece = isGap ? 0 : piece + us;
    if (piece > IR_LIMITS.pieceUs) return false;
  }
  return true;
}

/** Pairs as a signal: the darkness at the end is no part of it. */
function withoutEnd(pairs: Pairs): number[] {
  return pairs.slice(0, -1);
}

/**
 * Pronto hex of the learned form: `0000`, frequency, pairs sent once, pairs sent while the key is held, then the pairs
 * in cycles of the carrier.
 */
function ofPronto(text: string, repeat: number): Signal {
  const words = text.trim().split(/\s+/);
  const bad = words.find((word) => !/^[0-9a-fA-F]{4}$/.test(word));
  if (bad !== undefined) throw wrong('pronto', 'must be words of four hex digits with blanks between');
  const [form, clock = 0, once = 0, held = 0, ...values] = words.map((word) => Number.parseInt(word, 16));
  if (form !== 0) throw wrong('pronto', 'must begin with 0000, the learned form');
  const carrier = Math.round(PRONTO_CLOCK / clock);
  if (clock === 0 || carrier < IR_LIMITS.minCarrier || carrier > IR_LIMITS.maxCarrier)
    throw wrong('pronto', 'must have a carrier of 20000 to 500000 Hz in its second word');
  if (once + held === 0 || once + held > MOST_PAIRS || values.length !== 2 * (once + held))
    throw wrong(
      'pronto',
      `names ${once} and ${held} pairs in its third and fourth word, but has ${values.length} values`,
    );
  const us = values.map((cycles) => Math.round((cycles * clock * 1_000_000) / PRONTO_CLOCK));
  const first = us.slice(0, 2 * once);
  const again = us.slice(2 * once);
  if (held === 0) return { carrier, timings: repeated(withoutEnd(first), repeat) };
  const all = [...(once === 0 ? again : first)];
  for (let count = 0; count < repeat; count++) all.push(...again);
  return { carrier, timings: withoutEnd(all) };
}

/** A raw code as Pronto hex, sent once for each press. */
export function prontoOf({ timings, carrier }: Signal): string {
  const cycles = (us: number) => Math.min(0xffff, Math.max(1, Math.round((us * carrier) / 1_000_000)));
  const values = [...timings, RAW_GAP].map(cycles);
  return [0, Math.round(PRONTO_CLOCK / carrier), values.length / 2, 0, ...values]
    .map((word) => word.toString(16).toUpperCase().padStart(4, '0'))
    .join(' ');
}

/** What `sendir` says (Global Caché, iTach API 1.5). */
interface Sendir {
  readonly id: number;
  readonly signal: Signal;
}

/** What is wrong with a `sendir`, with the number that an iTach has for it. */
export class SendirError extends FaceplateError {
  readonly number: string;

  constructor(number: string, sentence: string) {
    super('INVALID_REQUEST', `sendir ${sentence}.`, { field: 'sendir' });
    this.number = number;
  }
}

/**
 * `<id>,<frequency>,<repeat>,<offset>,<on>,<off>,…` in cycles of the carrier. Letters stand for the first fifteen
 * different pairs (compressed form).
 * @throws SendirError
 */
export function ofSendir(text: string): Sendir {
  const match = /^(\d{1,5}),(\d{1,6}),(\d{1,3}),(\d{1,5}),(.+)$/.exec(text.trim());
  if (match === null) throw new SendirError('001', 'must be id,frequency,repeat,offset,on,off,…');
  const [id, carrier, count, offset] = match.slice(1, 5).map(Number) as [number, number, number, number];
  if (id > 65_535) throw new SendirError('004', 'has an id over 65535');
  if (carrier < IR_LIMITS.minCarrier || carrier > IR_LIMITS.maxCarrier)
    throw new SendirError('005', 'has a frequency that is not 20000 to 500000');
  if (count < 1 || count > MOST_SENDIR)
    throw new SendirError('006', `has a repeat that is not 1 to ${MOST_SENDIR}`);
  const cycles = pairsOf(match[5]!);
  if (offset % 2 === 0 || offset >= cycles.length)
    throw new SendirError('007', 'has an offset that is not odd, or not within its values');
  if (cycles.length * count > 20 * IR_LIMITS.values) throw new SendirError('020', 'has too many pairs');
  const us = cycles.map((value) => Math.round((value * 1_000_000) / carrier));
  const again = us.slice(offset - 1);
  const all = [...us];
  for (let sent = 1; sent < count; sent++) all.push(...again);
  const signal = { carrier, timings: withoutEnd(all) };
  check('sendir', signal.timings);
  return { id, signal };
}

function pairsOf(text: string): number[] {
  const known: (readonly [number, number])[] = [];
  const values: number[] = [];
  let on: number | undefined;
  for (const token of text.match(/\d+|[A-Z]|,|./g) ?? []) {
    if (token === ',') continue;
    if (/^[A-O]$/.test(token)) {
      if (on !== undefined) throw new SendirError('021', 'has a letter within a pair');
      const pair = known[token.charCodeAt(0) - 65];
      if (pair === undefined) throw new SendirError('022', `has the letter ${token} before its pair`);
      values.push(...pair);
    } else if (!/^\d{1,5}$/.test(token) || Number(token) === 0 || Number(token) > 65_535) {
      throw new SendirError('009', 'has a value that is not 1 to 65535');
    } else if (on === undefined) {
      on = Number(token);
    } else {
      const pair = [on, Number(token)] as const;
      if (known.length < 15 && !known.some(([light, dark]) => light === pair[0] && dark === pair[1]))
        known.push(pair);
      values.push(...pair);
      on = undefined;
    }
    if (values.length > 2 * MOST_PAIRS) throw new SendirError('020', `has more than ${MOST_PAIRS} pairs`);
  }
  if (on !== undefined) throw new SendirError('010', 'has an odd count of values');
  return values;
}
