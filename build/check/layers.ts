import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type Rule, testPackages } from './layerRules.ts';

/** Sources by their path from the root, with `/` between folders. */
export type Tree = ReadonlyMap<string, string>;

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly line: number;
}

/** A room and, for a path with `*`, the folder that the `*` matches: `server/parts/led/`. */
interface Place {
  readonly room: Rule;
  readonly folder: string;
}

/** Test helpers: every test may import them, from any wing, and no product file may. */
const TESTING = /^(.*?\/)testing\//;

/** Pure code, whatever its folder: the promise to callers, and words. It is judged as if it stood in the contract's room. */
const PURE = /^server\/(?!pages\/).*\/(?:contract|words|\w+(?:Contract|Words))\.ts$/;
/** Code of the browser, whatever its folder: it is judged as if it stood in the room of /manage. */
const BROWSER = /^server.*(?:\.tsx|\/parts\/\w+\/view\w*\.ts)$/;
/** The modules of code whose file name says where it may run. */
const PURE_ROOM = 'server/contract/';
const BROWSER_ROOM = 'server/pages/manage/';

type Allowance = 'imports' | 'types' | 'testImports' | 'packages' | 'typePackages';

/**
 * Compares the imports of every file with the rules, and the rules with the files: an unused allowance is a mistake
 * too, because it hides its first use.
 * @returns problems as sentences that say how to fix them
 */
export function checkLayers(tree: Tree, rooms: readonly Rule[]): string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  const lived = new Set<Rule>();
  for (const [file, source] of tree) {
    const wing = wingOfHelper(file, rooms);
    const place = wing === undefined ? placeOf(file, rooms) : undefined;
    if (wing === undefined && place === undefined) {
      problems.push(`${file}: no rule covers this file. Add its folder to build/check/layerRules.ts.`);
      continue;
    }
    if (place !== undefined) lived.add(place.room);
    for (const found of findImports(source)) {
      const verdict =
        wing === undefined ? judge(file, place!, found, rooms) : judgeHelper(file, wing, found, rooms);
      if ('problem' in verdict) problems.push(`${file}:${found.line}: ${verdict.problem}`);
      else if (verdict.allowance !== undefined)
        used.add(key(verdict.room ?? place!.room, verdict.allowance, verdict.entry));
    }
  }
  const empty = rooms.filter((room) => !lived.has(room));
  return [
    ...problems,
    ...empty.map(({ path }) => `build/check/layerRules.ts: ${path} covers no file. Remove its row.`),
    ...staleAllowances(
      rooms.filter((room) => lived.has(room)),
      used,
    ),
  ];
}

/** The static and dynamic imports and re-exports of a source; specifiers that are not plain strings are not seen. */
export function findImports(source: string): Import[] {
  const found: Import[] = [];
  const statement =
    /^(?:import|export)\s+(type\s+)?(?:(?:[\w$*]+\s*,\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?|[\w$]+)\s+from\s+)?['"]([^'"\n]+)['"]/gm;
  for (const match of source.matchAll(statement)) {
    found.push({ specifier: match[2]!, typeOnly: match[1] !== undefined, line: lineOf(source, match.index) });
  }
  const dynamic = /^(?!\s*(?:\/\/|\*|\/\*)).*?(typeof\s+)?\bimport\(\s*['"]([^'"\n]+)['"]/gm;
  for (const match of source.matchAll(dynamic)) {
    found.push({ specifier: match[2]!, typeOnly: match[1] !== undefined, line: lineOf(source, match.index) });
  }
  return found;
}

type Verdict =
  | { problem: string }
  | { allowance: Allowance | undefined; entry: string; room?: Rule | undefined };

const FREE: Verdict = { allowance: undefined, entry: '' };

function judge(file: string, place: Place, found: Import, rooms: readonly Rule[]): Verdict {
  const isTest = /\.(test|full|electron)\.(ts|mjs)$/.test(file);
  if (found.specifier.startsWith('.')) return judgeFile(file, place, found, isTest);
  if (isBuiltin(found.specifier)) return judgeBuiltin(place, found.specifier, isTest);
  return judgePackage(place, found, isTest, rooms);
}

/** A wing and its rooms, as the helpers of its tests see it. */
interface Wing {
  readonly folder: string;
  readonly rooms: readonly Rule[];
}

/** The wing whose tests a file helps; undefined for product files, tests, and helpers that have a row of their own. */
function wingOfHelper(file: string, rooms: readonly Rule[]): Wing | undefined {
  const folder = TESTING.exec(file)?.[1];
  if (folder === undefined || rooms.some(({ path }) => path === `${folder}testing/`)) return undefined;
  const covers = (room: Rule) => folderIn(folder, room.path) === folder;
  return { folder, rooms: rooms.filter((room) => room.path.startsWith(folder) || covers(room)) };
}

/** A helper of a wing's tests may use the whole wing, helpers everywhere, and whatever any room of the wing may use. */
function judgeHelper(file: string, wing: Wing, found: Import, rooms: readonly Rule[]): Verdict {
  const isFile = found.specifier.startsWith('.');
  const target = posix.join(posix.dirname(file), found.specifier);
  if (isBuiltin(found.specifier) || (isFile && target.startsWith(wing.folder))) return FREE;
  const verdicts = wing.rooms.map((room): Verdict => {
    const place = { room, folder: room.path };
    const verdict = isFile ? judgeFile(file, place, found, true) : judgePackage(place, found, true, rooms);
    return 'problem' in verdict ? verdict : { ...verdict, room };
  });
  return verdicts.find((verdict) => !('problem' in verdict)) ?? verdicts[0] ?? FREE;
}

function judgeFile(file: string, { room, folder }: Place, found: Import, isTest: boolean): Verdict {
  const target = posix.join(posix.dirname(file), found.specifier);
  if (TESTING.test(target)) {
    if (isTest || TESTING.test(file)) return FREE;
    const helpers = room.imports?.find((entry) => TESTING.test(entry) && fits(target, entry));
    if (helpers !== undefined) return { allowance: 'imports', entry: helpers };
    return {
      problem: `${folder} may not import ${target}: it is a test helper, and this file is not a test. Move what both need to a file of the product.`,
    };
  }
  const seen = asSeen(target);
  const own = fits(target, folder) && folder.endsWith('/');
  if (own && (isTest || !BROWSER.test(target))) return FREE;
  if (fits(seen, folder) && folder.endsWith('/')) return FREE;
  const allows = (entry: string) =>
    fits(seen, entry) || (seen === target ? false : !BROWSER.test(target) && fits(target, entry));
  const asValue = room.imports?.find(allows);
  if (asValue !== undefined) return { allowance: 'imports', entry: asValue };
  const asType = room.types?.find(allows);
  // A test may create the real object that the code knows only by its shape.
  if (asType !== undefined && (found.typeOnly || isTest)) return { allowance: 'types', entry: asType };
  const inTest = isTest ? room.testImports?.find(allows) : undefined;
  if (inTest !== undefined) return { allowance: 'testImports', entry: inTest };
  if (asType !== undefined) {
    return {
      problem: `${folder} knows ${target} by its types only. Write "import type", and have the object passed in.`,
    };
  }
  const allowed = [...(room.imports ?? []), ...(room.types ?? []).map((entry) => `${entry} (types)`)];
  return {
    problem:
      `${folder} may not import ${target}; it may import ${allowed.length > 0 ? allowed.join(', ') : 'nothing but its own files'}. ` +
      'Declare the interface you need beside your file and have server/start/ pass it in, or move the code to the room it belongs to.',
  };
}

function judgeBuiltin({ room, folder }: Place, specifier: string, isTest: boolean): Verdict {
  if (room.node !== false || isTest) return FREE;
  return {
    problem: `${folder} also runs outside Node, so it may not import ${specifier}. Move what needs it to another room.`,
  };
}

function judgePackage(
  { room, folder }: Place,
  { specifier, typeOnly }: Import,
  isTest: boolean,
  rooms: readonly Rule[],
): Verdict {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (isTest && testPackages.includes(name)) return FREE;
  if (room.packages?.includes(name)) return { allowance: 'packages', entry: name };
  if ((typeOnly || isTest) && room.typePackages?.includes(name))
    return { allowance: 'typePackages', entry: name };
  const homes = rooms.filter(({ packages }) => packages?.includes(name)).map(({ path }) => path);
  return {
    problem:
      homes.length === 0
        ? `the package ${name} has no home. Give it one in build/check/layerRules.ts, in one room only.`
        : `the package ${name} has its home in ${homes.join(' and ')}, not in ${folder}. Use it through a function of that room.`,
  };
}

/** The place of a file in the rules: pure and browser code has the module of its kind, all else that of its folder. */
export function asSeen(file: string): string {
  const name = posix.basename(file);
  if (PURE.test(file)) return file.startsWith(PURE_ROOM) ? file : `${PURE_ROOM}${name}`;
  if (BROWSER.test(file)) return file.startsWith(BROWSER_ROOM) ? file : `${BROWSER_ROOM}${name}`;
  return file;
}

function placeOf(path: string, rooms: readonly Rule[]): Place | undefined {
  const file = asSeen(path);
  let best: Place | undefined;
  for (const room of rooms) {
    const folder = folderIn(file, room.path);
    // Of two equally deep rows the one without a `*` is more exact.
    const better =
      folder !== undefined &&
      (best === undefined ||
        folder.length > best.folder.length ||
        (folder.length === best.folder.length && !room.path.includes('*')));
    if (better) best = { room, folder };
  }
  return best;
}

/** The part of `file` that `pattern` matches, or undefined. */
function folderIn(file: string, pattern: string): string | undefined {
  const literal = pattern
    .replaceAll(/[.\\+?^$()|[\]]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll(/\{([^}]*)\}/g, (_, texts: string) => `(?:${texts.replaceAll(',', '|')})`);
  return new RegExp(`^${literal}${pattern.endsWith('/') ? '' : '$'}`).exec(file)?.[0];
}

function fits(file: string, pattern: string): boolean {
  return folderIn(file, pattern) !== undefined;
}

function staleAllowances(rooms: readonly Rule[], used: ReadonlySet<string>): string[] {
  const kinds: readonly Allowance[] = ['imports', 'types', 'testImports', 'packages', 'typePackages'];
  return rooms.flatMap((room) =>
    kinds.flatMap((kind) =>
      (room[kind] ?? [])
        .filter((entry) => !used.has(key(room, kind, entry)))
        .map(
          (entry) =>
            `build/check/layerRules.ts: ${room.path} lists ${entry} in "${kind}", but nothing there uses it. Remove it.`,
        ),
    ),
  );
}

function key(room: Rule, allowance: Allowance, entry: string): string {
  return `${room.path} ${allowance} ${entry}`;
}

function lineOf(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}
