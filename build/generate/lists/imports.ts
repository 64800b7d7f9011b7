import { posix } from 'node:path';

/** How one file names another in an import: both by their path from the root. */
export function importPath(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Lines of imports in the order of the files that they name, as the formatter has them. */
export function sortedImports(lines: readonly string[]): string[] {
  const file = (line: string) => line.slice(line.indexOf("'"));
  return lines.toSorted((a, b) => compare(file(a), file(b)));
}

/** The order of two texts by their code units, which no language changes. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sorts by the place in a list; what is not in it comes last. */
export function placeIn(order: readonly string[], name: string): number {
  const at = order.indexOf(name);
  return at < 0 ? order.length : at;
}
