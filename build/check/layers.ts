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

/** A module and, for a path with `*`, the folder that the `*` matches: `server/parts/led/`. */
interface Place {
  readonly module: Rule;
  readonly folder: string;
}

/** Test helpers: every test may import them, from any area, and no product file may. */
const TESTING = /^(.*?\/)testing\//;

/** Pure code, whatever its folder: the promise to callers, and words. The rules of the contract's module apply. */
const PURE = /^server\/(?!pages\/).*\/(?:contract|words|\w+(?:Contract|Words))\.ts$/;
/** Code of the browser, whatever its folder: the rules of the module of /manage apply. */
const BROWSER = /^server.*(?:\.tsx|\/parts\/\w+\/view\w*\.ts)$/;
/** The modules of code whose file name says where it may run. */
const PURE_MODULE = 'server/contract/';
const BROWSER_MODULE = 'server/pages/manage/';

type Allowance = 'imports' | 'types' | 'testImports' | 'packages' | 'typePackages';

/**
 * Compares the imports of every file with the rules, and the rules with the files: an unused allowance is a mistake
 * too, because it hides its first use.
 * @returns problems as sentences that say how to fix them
 */
export function checkLayers(tree: Tree, modules: readonly Rule[]): string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  const lived = new Set<Rule>();
  for (const [file, source] of tree) {
    const area = areaOfHelper(file, modules);
    const place = area === undefined ? placeOf(file, modules) : undefined;
    if (area === undefined && place === undefined) {
      problems.push(`${file}: no rule covers this file. Add its folder to build/check/layerRules.ts.`);
      continue;
    }
    if (place !== undefined) lived.add(place.module);
    for (const found of findImports(source)) {
      const verdict =
        area === undefined ? judge(file, place!, found, modules) : judgeHelper(file, area, found, modules);
      if ('problem' in verdict) problems.push(`${file}:${found.line}: ${verdict.problem}`);
      else if (verdict.allowance !== undefined)
        used.add(key(verdict.module ?? place!.module, verdict.allowance, verdict.entry));
    }
  }
  const empty = modules.filter((module) => !lived.has(module));
  return [
    ...problems,
    ...empty.map(({ path }) => `build/check/layerRules.ts: ${path} covers no file. Remove its row.`),
    ...staleAllowances(
      modules.filter((module) => lived.has(module)),
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
  | { allowance: Allowance | undefined; entry: string; module?: Rule | undefined };

const FREE: Verdict = { allowance: undefined, entry: '' };

function judge(file: string, place: Place, found: Import, modules: readonly Rule[]): Verdict {
  const isTest = /\.(test|full|electron)\.(ts|mjs)$/.test(file);
  if (found.specifier.startsWith('.')) return judgeFile(file, place, found, isTest);
  if (isBuiltin(found.specifier)) return judgeBuiltin(place, found.specifier, isTest);
  return judgePackage(place, found, isTest, modules);
}

/** A area and its modules, as the helpers of its tests see it. */
interface Area {
  readonly folder: string;
  readonly modules: readonly Rule[];
}

/** The area whose tests a file helps; undefined for product files, tests, and helpers with their own row. */
function areaOfHelper(file: string, modules: readonly Rule[]): Area | undefined {
  const folder = TESTING.exec(file)?.[1];
  if (folder === undefined || modules.some(({ path }) => path === `${folder}testing/`)) return undefined;
  const covers = (module: Rule) => folderIn(folder, module.path) === folder;
  return { folder, modules: modules.filter((module) => module.path.startsWith(folder) || covers(module)) };
}

/** A helper of a area's tests may use the whole area, helpers everywhere, and whatever any module of the area may use. */
function judgeHelper(file: string, area: Area, found: Import, modules: readonly Rule[]): Verdict {
  const isFile = found.specifier.startsWith('.');
  const target = posix.join(posix.dirname(file), found.specifier);
  if (isBuiltin(found.specifier) || (isFile && target.startsWith(area.folder))) return FREE;
  const verdicts = area.modules.map((module): Verdict => {
    const place = { module, folder: module.path };
    const verdict = isFile ? judgeFile(file, place, found, true) : judgePackage(place, found, true, modules);
    return 'problem' in verdict ? verdict : { ...verdict, module };
  });
  return verdicts.find((verdict) => !('problem' in verdict)) ?? verdicts[0] ?? FREE;
}

function judgeFile(file: string, { module, folder }: Place, found: Import, isTest: boolean): Verdict {
  const target = posix.join(posix.dirname(file), found.specifier);
  if (TESTING.test(target)) {
    if (isTest || TESTING.test(file)) return FREE;
    const helpers = module.imports?.find((entry) => TESTING.test(entry) && fits(target, entry));
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
  const asValue = module.imports?.find(allows);
  if (asValue !== undefined) return { allowance: 'imports', entry: asValue };
  const asType = module.types?.find(allows);
  // A test may create the real object that the code knows only by its shape.
  if (asType !== undefined && (found.typeOnly || isTest)) return { allowance: 'types', entry: asType };
  const inTest = isTest ? module.testImports?.find(allows) : undefined;
  if (inTest !== undefined) return { allowance: 'testImports', entry: inTest };
  if (asType !== undefined) {
    return {
      problem: `${folder} knows ${target} by its types only. Write "import type", and have the object passed in.`,
    };
  }
  const allowed = [...(module.imports ?? []), ...(module.types ?? []).map((entry) => `${entry} (types)`)];
  return {
    problem:
      `${folder} may not import ${target}; it may import ${allowed.length > 0 ? allowed.join(', ') : 'nothing but its own files'}. ` +
      'Declare the interface you need beside your file and have server/start/ pass it in, or move the code to the module it belongs to.',
  };
}

function judgeBuiltin({ module, folder }: Place, specifier: string, isTest: boolean): Verdict {
  if (module.node !== false || isTest) return FREE;
  return {
    problem: `${folder} also runs outside Node, so it may not import ${specifier}. Move what needs it to another module.`,
  };
}

function judgePackage(
  { module, folder }: Place,
  { specifier, typeOnly }: Import,
  isTest: boolean,
  modules: readonly Rule[],
): Verdict {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (isTest && testPackages.includes(name)) return FREE;
  if (module.packages?.includes(name)) return { allowance: 'packages', entry: name };
  if ((typeOnly || isTest) && module.typePackages?.includes(name))
    return { allowance: 'typePackages', entry: name };
  const homes = modules.filter(({ packages }) => packages?.includes(name)).map(({ path }) => path);
  return {
    problem:
      homes.length === 0
        ? `the package ${name} has no home. Give it one in build/check/layerRules.ts, in one module only.`
        : `the package ${name} has its home in ${homes.join(' and ')}, not in ${folder}. Use it through a function of that module.`,
  };
}

/** The place of a file in the rules: pure and browser code has the module of its kind, all else that of its folder. */
export function asSeen(file: string): string {
  const name = posix.basename(file);
  if (PURE.test(file)) return file.startsWith(PURE_MODULE) ? file : `${PURE_MODULE}${name}`;
  if (BROWSER.test(file)) return file.startsWith(BROWSER_MODULE) ? file : `${BROWSER_MODULE}${name}`;
  return file;
}

function placeOf(path: string, modules: readonly Rule[]): Place | undefined {
  const file = asSeen(path);
  let best: Place | undefined;
  for (const module of modules) {
    const folder = folderIn(file, module.path);
    // Of two equally deep rows the one without a `*` is more exact.
    const better =
      folder !== undefined &&
      (best === undefined ||
        folder.length > best.folder.length ||
        (folder.length === best.folder.length && !module.path.includes('*')));
    if (better) best = { module, folder };
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

function staleAllowances(modules: readonly Rule[], used: ReadonlySet<string>): string[] {
  const kinds: readonly Allowance[] = ['imports', 'types', 'testImports', 'packages', 'typePackages'];
  return modules.flatMap((module) =>
    kinds.flatMap((kind) =>
      (module[kind] ?? [])
        .filter((entry) => !used.has(key(module, kind, entry)))
        .map(
          (entry) =>
            `build/check/layerRules.ts: ${module.path} lists ${entry} in "${kind}", but nothing there uses it. Remove it.`,
        ),
    ),
  );
}

function key(module: Rule, allowance: Allowance, entry: string): string {
  return `${module.path} ${allowance} ${entry}`;
}

function lineOf(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}
