import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@playwright/test';
import { callerParsers } from '../sweep/callerParsers.ts';
import { intercomParsers } from '../sweep/intercomParsers.ts';
import type { Swept } from '../sweep/parserSweep.ts';
import { videoParsers } from '../sweep/videoParsers.ts';

const MUTATIONS = Number(process.env.SWEEP_MUTATIONS ?? 100_000);
/** A new seed each time; the seed that a failure prints repeats it. */
const SEED = Number(process.env.SWEEP_SEED ?? Math.floor(Math.random() * 2 ** 32));
const PARSERS = [...videoParsers, ...intercomParsers, ...callerParsers].map(({ name }) => name);
/** Limit for the growth of used memory, in MB: caches of the engine, and nothing for each input. */
const HEAP_MB = 8;
/** Limit for one input of at most 64 KiB, in milliseconds of CPU; a slower one costs more than its length explains. */
const WORST_MS = 100;
const LIMIT_MS = 15 * 60_000;

/** Runs the sweep in a separate process, which is killed when its time is up. */
async function sweep(): Promise<{ readonly swept: Swept[]; readonly code: number | null }> {
  const main = join(import.meta.dirname, '../sweep/parserSweep.ts');
  const child = spawn(process.execPath, ['--expose-gc', main, String(MUTATIONS), String(SEED)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  const swept: Swept[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const found: Swept = JSON.parse(line);
    swept.push(found);
    const { name, inputs, taken, refused, worstMs, worstBytes, heapMb, seconds } = found;
    process.stdout.write(
      `${name.padEnd(16)} ${inputs} inputs  ${taken} taken  ${refused} refused by an error  ` +
        `worst ${worstMs.toFixed(2)} ms of ${worstBytes} B  heap ${heapMb.toFixed(1)} MB  ${seconds.toFixed(1)} s\n`,
    );
  }
  return { swept, code: await ended };
}

test(`security: should survive ${MUTATIONS} mutations for each reader of bytes from outside`, async () => {
  test.setTimeout(LIMIT_MS + 60_000);
  const { swept, code } = await sweep();
  const again = `SWEEP_SEED=${SEED}`;
  expect(code, `${again}: the process of the sweep ended`).toBe(0);
  expect(
    swept.map(({ name }) => name),
    again,
  ).toEqual(PARSERS);
  for (const { name, inputs, taken, fault, heapMb, worstMs } of swept) {
    expect(fault, `${again}: ${name} threw something other than a refusal`).toBeUndefined();
    expect(inputs, name).toBe(MUTATIONS);
    // If nothing is accepted, or everything is, the mutations test nothing.
    expect(taken / inputs, `${again}: ${name}, share of what is taken`).toBeGreaterThan(0.005);
    expect(heapMb, `${again}: ${name}, MB`).toBeLessThan(HEAP_MB);
    expect(worstMs, `${again}: ${name}, ms of one input`).toBeLessThan(WORST_MS);
  }
});
