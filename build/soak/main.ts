// `npm run soak -- --hours N [--panel http://…]`: works a panel for hours and looks what it takes of memory, files and
// disk. Exits 1 where that grows past a limit. docs/contributing.md says more.
import { setTimeout as sleep } from 'node:timers/promises';
import { onSignal } from '../setup/machine/onSignal.mjs';
import { FEWEST_SAMPLES, readArguments, SoakError, type SoakOptions } from './arguments.ts';
import { doOnce, doWork, type Work } from './doWork.ts';
import { growthOf, growthText, type Sample, sampleText } from './growth.ts';
import { waitedForCores } from './processes.ts';
import { type Left, leftOf, leftText, type Rest, restAfter, restOf } from './rest.ts';
import { addressedPanel, DeskPanel, type SoakedPanel } from './soakedPanel.ts';
import { workOf } from './work.ts';

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
  await doOnce(works);
  const restBefore = await restOf(soaked);
  const ended = new AbortController();
  // A first Ctrl+C ends the run early and judges what there is; a second one does not wait for that.
  const stopListening = onSignal(['SIGINT', 'SIGTERM'], () => {
    if (ended.signal.aborted) process.exit(130);
    console.log('Ends; what was measured is judged.');
    ended.abort();
  });
  console.log(`${hours} hours on ${soaked.what}. Work: ${namesOf(works).join(', ')}.`);
  const startedAt = performance.now();
  const waitedBefore = waitedForCores();
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
  const waited = waitedForCores();
  ended.abort();
  const tallies = await worked;
  await end().catch(() => {});
  const left = await leftBehind(soaked, restBefore);
  stopListening();

  console.log(
    `\nAfter ${took.toFixed(2)} hours${busy(waitedBefore, waited, took)}, growth from the second to the last quarter:`,
  );
  const growth = growthOf(samples);
  for (const each of growth) console.log(growthText(each));
  console.log('What stayed behind, at rest:');
  for (const each of left ?? []) console.log(leftText(each));
  console.log('Work:');
  for (const line of tallies.flatMap((tally) => tally.lines())) console.log(line);
  if (samples.length < FEWEST_SAMPLES) {
    console.log(`${samples.length} samples are too few to judge growth.`);
    if (lost !== undefined) console.log(`The last that was not taken: ${(lost as Error).message}`);
    return false;
  }
  const isTooMuch = [...growth, ...(left ?? [])].some((each) => each.isTooMuch);
  return left !== undefined && !isTooMuch && !tallies.some(({ hasFailed }) => hasFailed);
}

/** What stayed behind of the work; undefined where the panel does not come to rest. */
async function leftBehind(soaked: SoakedPanel, before: Rest): Promise<Left[] | undefined> {
  try {
    return leftOf(before, await restAfter(soaked, before));
  } catch (error) {
    console.log(`Not measured at rest: ${(error as Error).message}`);
    return undefined;
  }
}

function namesOf(works: readonly Work[]): string[] {
  return [...new Set(works.flatMap(({ steps }) => steps.map(({ name }) => name)))];
}

/** How busy this machine was meanwhile. A panel on the network is another one, but its cameras may be here. */
function busy(before: number | undefined, after: number | undefined, hours: number): string {
  if (before === undefined || after === undefined) return '';
  const share = (after - before) / (hours * 3600);
  return ` (programs of this machine waited for a core in ${Math.round(share * 100)} % of the time)`;
}
