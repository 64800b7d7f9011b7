import { type CommittedFigures, type Figure, short } from './figures.ts';

/** How much worse a figure may be than the committed one before it counts as a regression. */
const TOLERANCE = 0.15;

/** The figures of one bench beside the committed ones. */
export interface Comparison {
  readonly lines: readonly string[];
  readonly hasRegressed: boolean;
}

/**
 * Sets each figure beside the committed one of the same machine kind. One that is worse by more than 15 % is a
 * regression; one that did not exist before, or that is of a peer, is not.
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
    const change = worseBy(figure, old.median);
    const isWorse = change > TOLERANCE && figure.isPeer === undefined;
    const word = isWorse ? 'REGRESSION' : change < -TOLERANCE ? 'better' : 'as before';
    return {
      text: `was ${short(old.median)}, now ${short(figure.median)} ${figure.unit}: ${figure.isPeer ? 'peer' : word}`,
      isWorse,
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

/** @returns the share by which it is worse than before, below 0 where it is better */
function worseBy({ median, unit, goal }: Figure, before: number): number {
  if (median === before) return 0;
  const isMoreBetter = unit === '/s' || (goal !== undefined && 'atLeast' in goal);
  // Of nothing, any more is infinitely more.
  return isMoreBetter ? before / median - 1 : median / before - 1;
}
