// `npm run soak -- --hours N [--panel http://…]`: works a panel for hours and looks what it takes of memory, files and
// disk. Exits 1 where that grows past a limit. docs/contributing.md says more.
import { setTimeout as sleep } from 'node:timers/promises';
import { onSignal } from '../setup/machine/onSignal.mjs';
import { FEWEST_SAMPLES, readArguments, SoakError, type SoakOptions } from './arguments.ts';
import { growthOf, growthText, type Sample, sampleText } from './growth.ts';
import { addressedPanel, DeskPanel, type SoakedPanel } from './soakedPanel.ts';
import { doWork, hasFailed, workOf } from './work.ts';

try {
  const options = readArguments(process.argv.slice(2), process.env);
  const soaked = options.panel === undefined ? new DeskPanel() : addressedPanel(options);
  try {
    if (soaked instanceof DeskPanel) await soaked.start();
    if (!(await soak(soaked, options))) process.exitCode = 1;
  } finally {
    await soaked.stop();
  }
} catch (error) {
  if (!(error instanceof SoakError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

/** @returns whether nothing grew too much and all work was done */
async function soak(soaked: SoakedPanel, { hours, every }: SoakOptions): Promise<boolean> {
  const { works, end } = await workOf(soaked);
  const ended = new AbortController();
  // A first Ctrl+C ends the run early and judges what there is; a second one does not wait for that.
  const stopListening = onSignal(['SIGINT', 'SIGTERM'], () => {
    if (ended.signal.aborted) process.exit(130);
    console.log('Ends; what was measured is judged.');
    ended.abort();
  });
  console.log(`${hours} hours on ${soaked.what}. Work: ${works.map(({ name }) => name).join(', ')}.`);
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 3_600_000;
  const worked = doWork(works, ended.signal);
  const samples: Sample[] = [];
  let lost: unknown;
  while (!ended.signal.aborted && elapsed() < hours) {
    await sleep(every * 1000, undefined, { signal: ended.signal }).catch(() => {});
    if (ended.signal.aborted) break;
    try {
      samples.push({ hours: elapsed(), ...(await soaked.measure()) });
      console.log(sampleText(samples.at(-1)!));
    } catch (error) {
      // A panel may restart meanwhile; one that stays away has no more samples.
      lost = error;
      console.log(`${elapsed().toFixed(2)} h  not measured: ${(error as Error).message}`);
    }
  }
  const took = elapsed();
  ended.abort();
  const tallies = await worked;
  await end().catch(() => {});
  stopListening();

  console.log(`\nAfter ${took.toFixed(2)} hours, growth from the second to the last quarter:`);
  const growth = growthOf(samples);
  for (const each of growth) console.log(growthText(each));
  for (const tally of tallies) {
    const { name, done, failed, reason } = tally;
    const last = failed > 0 ? `, the last: ${reason}` : '';
    console.log(`  ${name}: ${done} done, ${failed} failed${last}${hasFailed(tally) ? ': TOO MANY' : ''}`);
  }
  if (samples.length < FEWEST_SAMPLES) {
    console.log(`${samples.length} samples are too few to judge growth.`);
    if (lost !== undefined) console.log(`The last that was not taken: ${(lost as Error).message}`);
    return false;
  }
  return !growth.some(({ isTooMuch }) => isTooMuch) && !tallies.some(hasFailed);
}
