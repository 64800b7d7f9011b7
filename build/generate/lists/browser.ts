import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { importPath, sortedImports } from './imports.ts';

const MANAGE = 'server/pages/manage';
const WORDS = `${MANAGE}/texts/words.generated.ts`;
const VIEWS = `${MANAGE}/views/views.generated.ts`;
const COMMAND_WORDS = 'server/parts/approval/commandWords.generated.ts';

const HEAD = '// Generated from words.ts of all folders by build/generate/main.ts. Do not edit it.\n';

/** Where `words.ts` may stand: one folder for each part, the wings, and the app itself. */
const HOMES = ['server', 'server/parts', MANAGE];
/** The words of the frame of the app are not named after their folder. */
const NAMES: Readonly<Record<string, string>> = { [`${MANAGE}/texts`]: 'shell' };

/** What `words.ts` of one folder exports. */
interface Home {
  readonly folder: string;
  readonly name: string;
  readonly exports: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * What the words of all folders are collected in, text by path: what the app says, the views in its menu, and what each
 * command does, for the question at the panel.
 * @throws Error for a constant, or a view, that would be forgotten
 */
export async function browserLists(root: string): Promise<Record<string, string>> {
  const homes = await Promise.all(foldersWithWords(root).map((folder) => homeIn(root, folder)));
  return {
    [WORDS]: listOf('words', WORDS, homes, 'Words', 'What the app says: English, German, Spanish.'),
    [VIEWS]: viewList(root, homes),
    [COMMAND_WORDS]: listOf(
      'commandWords',
      COMMAND_WORDS,
      homes,
      'CommandWords',
      'What each command does: English, German, Spanish.',
    ),
  };
}

function foldersWithWords(root: string): string[] {
  return HOMES.flatMap((home) => readdirSync(join(root, home)).map((name) => `${home}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'words.ts')))
    .sort();
}

async function homeIn(root: string, folder: string): Promise<Home> {
  const name = NAMES[folder] ?? posix.basename(folder);
  const exports = { ...((await import(join(root, folder, 'words.ts'))) as Home['exports']) };
  const known = ['Menu', 'Words', 'CommandWords'].map((ending) => name + ending);
  for (const each of Object.keys(exports))
    if (!known.includes(each))
      throw new Error(`${folder}/words.ts: nothing collects ${each}. Name it one of ${known.join(', ')}.`);
  return { folder, name, exports };
}

/** A file with one constant, made of those of all folders that end alike. */
function listOf(
  constant: string,
  path: string,
  homes: readonly Home[],
  ending: string,
  comment: string,
): string {
  const found = homes.filter(({ name, exports }) => exports[name + ending] !== undefined);
  const imports = found.map(
    ({ folder, name }) => `import { ${name}${ending} } from '${importPath(path, `${folder}/words.ts`)}';\n`,
  );
  const rows = found.map(({ name }) => `  ...${name}${ending},\n`);
  const owners = new Map<string, string>();
  for (const { folder, name, exports } of found)
    for (const key of Object.keys(exports[name + ending]!)) {
      const owner = owners.get(key);
      if (owner !== undefined)
        throw new Error(`${owner}/words.ts and ${folder}/words.ts both have ${key}. Keep one of them.`);
      owners.set(key, folder);
    }
  return `${HEAD}${sortedImports(imports).join('')}
/** ${comment} */
export const ${constant} = {
${rows.join('')}};
`;
}

/** Where a view stands: its entry, its place among the tabs of the entry, and whether only developers see it. */
type Place = readonly [entry: string, order: number, isForDevelopers?: 'developer'];

/** Longest line that the formatter leaves in one. */
const LINE = 110;

/** The views, in the order of their tabs. Their components are called as they are, with a capital letter. */
function viewList(root: string, homes: readonly Home[]): string {
  const shell = homes.find(({ name }) => name === 'shell')?.exports.shellWords ?? {};
  const entries = Object.keys(shell).flatMap((key) => /^entry_(\w+)$/.exec(key)?.[1] ?? []);
  const entryAt = (entry: string) => {
    const at = entries.indexOf(entry);
    if (at === -1) throw new Error(`The menu has no entry ${entry}. Take one of ${entries.join(', ')}.`);
    return at;
  };
  const places = homes.flatMap(({ folder, name, exports }) =>
    Object.entries(exports[`${name}Menu`] ?? {}).map(([view, place]) => {
      const [entry, order, isForDevelopers] = place as Place;
      return { folder, view, entry, entryAt: entryAt(entry), order, isForDevelopers };
    }),
  );
  const rows = places
    .sort((a, b) => a.entryAt - b.entryAt || a.order - b.order)
    .map(({ folder, view, entry, isForDevelopers }) => {
      const component = view[0]!.toUpperCase() + view.slice(1);
      const file = `'${importPath(VIEWS, viewIn(root, folder, component))}'`;
      const mark = isForDevelopers === undefined ? [] : ['isForDevelopers: true'];
      const load = `async () => (await import(${file})).${component}`;
      const fields = [`name: '${view}'`, `entry: '${entry}'`, ...mark, `load: ${load}`];
      const line = `  { ${fields.join(', ')} },`;
      return line.length <= LINE ? `${line}\n` : `  {\n    ${fields.join(',\n    ')},\n  },\n`;
    });
  return `${HEAD}import type { View } from '../ui/route.ts';

/** All views, in the order of the entries and of their tabs. */
export const views: readonly View[] = [
${rows.join('')}];
`;
}

function viewIn(root: string, folder: string, component: string): string {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const file = files.find(
    (path) =>
      path.endsWith('.tsx') &&
      readFileSync(join(root, folder, path), 'utf8').includes(`export function ${component}()`),
  );
  if (file === undefined)
    throw new Error(`${folder}/words.ts has a view in the menu, but no file there exports ${component}().`);
  return `${folder}/${file}`;
}
