import { type CommittedFigures, type Figure, short } from './figures.ts';

const REGRESSION = 'REGRESSION';

/** The figures of one bench beside the committed ones. */
export interface Comparison {
  readonly lines: readonly string[];
  readonly hasRegressed: boolean;
}

/**
 * Sets each figure beside the committed one of the same machine kind. It is a regression where its median is worse by more
 * than the rounds of either run differ among themselves. One that did not exist before, that is of a peer, or that has a
 * single round on one side, is none.
 */
export function compare(
  bench: string,
  figures: readonly Figure[],
  committed: CommittedFigures,
  machine: string,
): Comparison {
  const before = committed[bench];
  if (before === undefined) return { lines: ['  no committed figures to compare with'], hasRegressed: false };
  if (before.machine !== machine) {
    const line = `  not compared: the committed figures are of another kind of machine (${before.machine}; here ${machine})`;
    return { lines: [line], hasRegressed: false };
  }
  const rows = figures.map((figure) => {
    const old = before.figures.find(({ key }) => key === figure.key);
    if (old === undefined) return { text: 'new', isWorse: false, figure };
    const word = figure.isPeer ? 'peer' : judge(figure, old);
    return {
      text: `was ${short(old.median)}, now ${short(figure.median)} ${figure.unit}: ${word}`,
      isWorse: word === REGRESSION,
      figure,
    };
  });
  const gone = before.figures.filter(({ key }) => !figures.some((figure) => figure.key === key));
  return {
    lines: [
      ...rows.map(({ figure, text }) => `  ${figure.label.padEnd(44)} ${text}`),
      ...gone.map(({ label }) => `  ${label.padEnd(44)} not measured any more`),
    ],
    hasRegressed: rows.some(({ isWorse }) => isWorse),
  };
}

function judge(now: Figure, before: Figure): string {
  if (now.rounds.length < 2 || before.rounds.length < 2) return 'one round, not judged';
  const isMoreBetter = now.unit === '/s' || (now.goal !== undefined && 'atLeast' in now.goal);
  const worseBy = (isMoreBetter ? -1 : 1) * (now.median - before.median);
  const noise = Math.max(spreadOf(now), spreadOf(before));
  if (Math.abs(worseBy) <= noise) return 'as before';
  return worseBy > 0 ? REGRESSION : 'better';
}

/** How far its rounds are from each other. */
function spreadOf({ rounds }: Figure): number {
  return Math.max(...rounds) - Math.min(...rounds);
}
