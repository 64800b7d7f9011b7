// `node --expose-gc e2e/sweep/parserSweep.ts <mutations> <seed> [name]`: tries each parser with mutated messages.
// Prints one line of JSON for each parser; the first throw that is not a refusal ends that parser and is in its line.
import { FaceplateError } from '../../server/contract/errors.ts';
import { chanceOf } from '../../server/testing/chance.ts';
import { callerParsers } from './callerParsers.ts';
import { intercomParsers } from './intercomParsers.ts';
import type { SweptParser } from './sweptParser.ts';
import { videoParsers } from './videoParsers.ts';

/** The result of one parser. */
export interface Swept {
  readonly name: string;
  readonly inputs: number;
  /** Accepted, and refused with a FaceplateError. */
  readonly taken: number;
  readonly refused: number;
  /** CPU time of the slowest input, in milliseconds, and its bytes. */
  readonly worstMs: number;
  readonly worstBytes: number;
  /** Growth of the memory in use after garbage collection, in MB. */
  readonly heapMb: number;
  readonly seconds: number;
  /** What was thrown that is not a refusal, with the input in base64. */
  readonly fault?: string;
}

const MB = 2 ** 20;
/** Inputs before the heap is first measured: by then all code is compiled. */
const WARM_UP = 5_000;
/** The slowest inputs are read again, this many times each. */
const SLOWEST = 20;
const TRIES = 5;

function used(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
}

function sweep({ name, next, read }: SweptParser, inputs: number, seed: number): Swept {
  const random = chanceOf(seed);
  const begun = performance.now();
  const counts = { taken: 0, refused: 0 };
  const slowest: { readonly data: Buffer; readonly ms: number }[] = [];
  let before = used();
  let fault: { fault?: string } = {};
  let done = 0;
  for (; done < inputs && fault.fault === undefined; done++) {
    if (done === WARM_UP) before = used();
    const data = next(random);
    const started = process.cpuUsage().user;
    try {
      if (read(data, random)) counts.taken++;
    } catch (error) {
      if (error instanceof FaceplateError) counts.refused++;
      else fault = { fault: `input ${done}: ${(error as Error).stack ?? error}\n${data.toString('base64')}` };
    }
    note(slowest, { data, ms: (process.cpuUsage().user - started) / 1_000 });
  }
  const seconds = (performance.now() - begun) / 1_000;
  const worst = slowest
    .map(({ data }) => ({ worstMs: timeOf(() => read(data, random)), worstBytes: data.length }))
    .reduce((one, other) => (other.worstMs > one.worstMs ? other : one));
  slowest.length = 0;
  return { name, inputs: done, ...counts, ...worst, heapMb: used() - before, seconds, ...fault };
}

/** Keeps the slowest inputs. Garbage collection and compilation may slow any input. */
function note(
  slowest: { readonly data: Buffer; readonly ms: number }[],
  input: { data: Buffer; ms: number },
) {
  if (slowest.length >= SLOWEST && input.ms <= slowest.at(-1)!.ms) return;
  slowest.push(input);
  slowest.sort((one, other) => other.ms - one.ms);
  slowest.length = Math.min(slowest.length, SLOWEST);
}

/** The shortest of some tries, in milliseconds of CPU: what the input itself costs. */
function timeOf(read: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const started = process.cpuUsage().user;
    try {
      read();
    } catch {
      // Refused as before.
    }
    least = Math.min(least, (process.cpuUsage().user - started) / 1_000);
  }
  return least;
}

const [inputs = '100000', seed = '1', only = ''] = process.argv.slice(2);
for (const parser of [...videoParsers, ...intercomParsers, ...callerParsers]) {
  if (!parser.name.includes(only)) continue;
  process.stdout.write(`${JSON.stringify(sweep(parser, Number(inputs), Number(seed)))}\n`);
}
process.exit();
