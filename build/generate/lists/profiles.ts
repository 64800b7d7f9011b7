import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeIn, sortedImports } from './imports.ts';

/**
 * server/parts/boards/partProfiles.ts: the parts that a board profile can name, collected from the folders that hold a
 * `profile.ts`. They stand in the order of the simulated board, which has every part; docs/boards.md follows it.
 * @throws Error for a `profile.ts` without its constant
 */
export function profileList(root: string): string {
  const folder = join(root, 'server/parts');
  const board = JSON.parse(readFileSync(join(folder, 'boards/simulated.json'), 'utf8')) as object;
  const order = Object.keys(board);
  const found = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'profile.ts')))
    .map((name) => ({ folder: name, part: partOf(join(folder, name, 'profile.ts')) }));
  const imports = sortedImports([
    "import type { PartProfile } from '../profile.ts';",
    ...found.map((each) => `import { ${each.part}Profile } from '../${each.folder}/profile.ts';`),
  ]);
  const rows = found.toSorted((a, b) => placeIn(order, a.part) - placeIn(order, b.part));
  return `// Generated from the profile.ts of all parts by build/generate/main.ts. Do not edit it.
${imports.join('\n')}

/** What each part is in a board profile. */
export const profiles = {
${rows.map(({ part }) => `  ${part}: ${part}Profile,\n`).join('')}} satisfies Readonly<Record<string, PartProfile>>;
`;
}

/** Name of the part in a board profile: that of its constant, `<part>Profile`. */
function partOf(file: string): string {
  const name = /^export const (\w+)Profile = defineProfile\(/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (name === undefined)
    throw new Error(`${file} lacks its constant: "export const <part>Profile = defineProfile(…)".`);
  return name;
}
