import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { asSeen, findImports, type Tree } from './layers.ts';

/** Counts of the source tree. Smaller is better, except for `medianLines`. */
export interface Counts {
  /** Product files below server/, generated ones and helpers of tests aside. */
  readonly files: number;
  readonly medianLines: number;
  /** Folders with more than 25 files directly in them; docs, e2e and corpora aside. */
  readonly fullFolders: number;
  /** Files with exactly one importer, in percent of those whose name is not that of a piece of a part. */
  readonly oneImporterPercent: number;
  /** Folders directly below server/. */
  readonly folders: number;
  /** Imports between those folders and the top ones, each pair once. */
  readonly arrows: number;
  /** The longest chain of such imports, those of types aside. */
  readonly longestChain: number;
}

/** The allowed counts. A change that makes one smaller writes the new number there. */
const LIMITS = 'build/check/counts.json';
const MOST_IN_FOLDER = 25;

const PRODUCT = /^(?:server|electron|preload|client|renderer-demo)\/.*\.tsx?$/;
const NO_PRODUCT = /\.(?:test|full|electron)\.ts$|\.d\.ts$|\/testing\/|\.generated\.ts$/;
/** Files that a part has by its shape: each has one importer, the list of its kind. */
const SHAPED =
  /\/(?:contract|words|part|profile|homeAssistant|index|main)\.ts$|\/\w+(?:Contract|Words)\.ts$|\.tsx$|\/view\w*\.ts$/;
const UNCOUNTED_FOLDER = /^(?:docs|e2e)(?:\/|$)|(?:^|\/)corp(?:us|ora)(?:\/|$)/;

/** Counts the source tree. @param tree all files, by their path */
export function countSources(tree: Tree): Counts {
  const product = [...tree].filter(
    ([file, source]) => PRODUCT.test(file) && !NO_PRODUCT.test(file) && !isGenerated(source),
  );
  const server = product.filter(([file]) => file.startsWith('server/'));
  const importers = importersOf(product);
  const judged = server.filter(([file]) => !SHAPED.test(file));
  const alone = judged.filter(([file]) => importers.get(file)?.size === 1);
  return {
    files: server.length,
    medianLines: median(server.map(([, source]) => source.split('\n').length - 1)),
    fullFolders: fullFolders(tree).length,
    oneImporterPercent: Math.round((100 * alone.length) / Math.max(1, judged.length)),
    folders: new Set(
      server
        .map(([file]) => file.split('/'))
        .filter((path) => path.length > 2)
        .map((path) => path[1]),
    ).size,
    arrows: [...arrowsBetween(product, true).values()].reduce((sum, to) => sum + to.size, 0),
    longestChain: longestChain(arrowsBetween(product, false)),
  };
}

/** Folders with too many files directly in them. */
export function fullFolders(tree: Tree): string[] {
  const direct = new Map<string, number>();
  for (const file of tree.keys()) {
    const folder = posix.dirname(file);
    if (!UNCOUNTED_FOLDER.test(folder)) direct.set(folder, (direct.get(folder) ?? 0) + 1);
  }
  return [...direct]
    .filter(([, files]) => files > MOST_IN_FOLDER)
    .map(([folder, files]) => `${folder} ${files}`);
}

/**
 * Compares the counts with those that are written down.
 * @returns one sentence for each that has grown, and for each that could be written smaller
 */
export function compareCounts(now: Counts, limits: Counts): string[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    const value = now[name as keyof Counts];
    const isWorse = name === 'medianLines' ? value < limit : value > limit;
    return isWorse
      ? [`${name} is ${value}, and was ${limit}. Fold what is read together, or say why in ${LIMITS}.`]
      : [];
  });
}

export function readLimits(root: string): Counts {
  return JSON.parse(readFileSync(join(root, LIMITS), 'utf8')) as Counts;
}

const isGenerated = (source: string) => source.startsWith('// Generated');

/** Who imports each file, itself aside. */
function importersOf(files: readonly (readonly [string, string])[]): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>();
  for (const [file, source] of files)
    for (const { specifier } of findImports(source)) {
      if (!specifier.startsWith('.')) continue;
      const target = posix.join(posix.dirname(file), specifier);
      importers.set(target, (importers.get(target) ?? new Set()).add(file));
    }
  return importers;
}

/** A folder below server/, or a top folder; files directly in server/ are one place. */
function placeOf(file: string): string {
  const [top, next, ...rest] = asSeen(file).split('/');
  return top === 'server' && rest.length > 0 ? `server/${next}` : top!;
}

function arrowsBetween(
  files: readonly (readonly [string, string])[],
  withTypes: boolean,
): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const [file, source] of files)
    for (const { specifier, typeOnly } of findImports(source)) {
      if (!specifier.startsWith('.') || (typeOnly && !withTypes)) continue;
      const from = placeOf(file);
      const to = placeOf(posix.join(posix.dirname(file), specifier));
      if (from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
  return arrows;
}

/** Places on the longest way along the arrows; a place counts once, so that a circle ends the way. */
function longestChain(arrows: ReadonlyMap<string, ReadonlySet<string>>): number {
  const known = new Map<string, number>();
  const lengthFrom = (place: string, way: readonly string[]): number => {
    const before = known.get(place);
    if (before !== undefined) return before;
    const next = [...(arrows.get(place) ?? [])].filter((to) => !way.includes(to));
    const length = 1 + Math.max(0, ...next.map((to) => lengthFrom(to, [...way, place])));
    known.set(place, length);
    return length;
  };
  return Math.max(0, ...[...arrows.keys()].map((place) => lengthFrom(place, [])));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
