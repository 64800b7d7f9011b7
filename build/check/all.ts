// `npm run check`: everything that can be checked from the sources alone. The parts run at the same time. Arguments
// select parts by the beginning of their names: `npm run check -- types links`. `npm run check -- --outdated` checks nothing:
// it asks the registry which packages have a later version; nor does `--counts`, which prints the counts of the sources.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findCircles } from './circles.ts';
import { compareCounts, countSources, fullFolders, readLimits } from './counts.ts';
import { modules } from './layerRules.ts';
import { checkLayers } from './layers.ts';
import { findUnclearLogLines } from './logLines.ts';
import { checkLockfile } from './packages/lockfile.ts';
import { outdatedPackages } from './packages/outdated.ts';
import { findUnsafe } from './survives.ts';
import { checkDocsWords, checkForbiddenTexts, checkLinks } from './texts.ts';
import { readTree } from './tree.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const bin = join(root, 'node_modules/.bin');

/** A part of the check; it resolves with its problems, one text each. */
interface Part {
  readonly name: string;
  find(): Promise<string[]>;
}

/** Runs a program; its whole output is the problem when it fails. */
async function problemsOf(program: string, args: readonly string[]): Promise<string[]> {
  try {
    await run(program, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
    return [];
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    return [`${stdout}${stderr}`.trim() || message];
  }
}

function typesPart(project: string): Part[] {
  if (!existsSync(join(root, project))) return [];
  return [{ name: `types ${project}`, find: () => problemsOf(join(bin, 'tsc'), ['-p', project]) }];
}

function generatedPart(): Part[] {
  const script = join(root, 'build/generate/main.ts');
  if (!existsSync(script)) return [];
  return [{ name: 'generated files', find: () => problemsOf(process.execPath, [script, '--check']) }];
}

if (process.argv.includes('--outdated')) {
  console.log(await outdatedPackages(root));
  process.exit(0);
}

const tree = await readTree(root);
if (process.argv.includes('--counts')) {
  console.log(JSON.stringify(countSources(tree), null, 2));
  console.log(`Folders with many files: ${fullFolders(tree).join(', ')}`);
  process.exit(0);
}
const sources = new Map(
  [...tree].filter(([file]) =>
    /^(client|server|electron|preload|renderer-demo|e2e|build)\/.*(?<!\.d)\.(tsx?|mjs)$/.test(file),
  ),
);

const parts: readonly Part[] = [
  {
    name: 'format and lint',
    find: () => problemsOf(join(bin, 'biome'), ['check', '--error-on-warnings', '.']),
  },
  ...typesPart('tsconfig.json'),
  ...typesPart('build/setup/tsconfig.json'),
  ...typesPart('preload/tsconfig.json'),
  ...typesPart('renderer-demo/tsconfig.json'),
  ...typesPart('server/pages/tsconfig.json'),
  ...typesPart('build/docs/browser/tsconfig.json'),
  ...typesPart('e2e/tsconfig.json'),
  { name: 'import rules', find: async () => checkLayers(sources, modules) },
  { name: 'circles of files', find: async () => findCircles(sources) },
  { name: 'counts of the sources', find: async () => compareCounts(countSources(tree), readLimits(root)) },
  { name: 'code that ends the service', find: async () => findUnsafe(tree) },
  { name: 'log lines', find: async () => findUnclearLogLines(tree) },
  ...generatedPart(),
  // These two run the contract and the settings: a fault there must not keep the other parts from reporting it.
  {
    name: 'words on each part',
    find: async () => (await import('./partDocs.ts')).checkPartDocs(tree),
  },
  {
    name: 'unread settings',
    find: async () => (await import('./unreadSettings.ts')).findUnreadSettings(tree),
  },
  { name: 'links', find: async () => checkLinks(tree, root) },
  { name: 'docs words', find: async () => checkDocsWords(tree) },
  { name: 'forbidden texts', find: async () => checkForbiddenTexts(tree, root) },
  { name: 'lock file', find: async () => checkLockfile(root) },
];

const wanted = process.argv.slice(2);
const chosen = parts.filter(
  ({ name }) => wanted.length === 0 || wanted.some((beginning) => name.startsWith(beginning)),
);
if (chosen.length === 0) throw new Error(`There is no part of the check named ${wanted.join(' ')}.`);

const results = await Promise.all(
  chosen.map(async ({ name, find }) => {
    const started = performance.now();
    const problems = await find().catch((error: unknown) => [String(error)]);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(34)} ${seconds.padStart(5)} s`);
    return { name, problems };
  }),
);

for (const { name, problems } of results) {
  if (problems.length === 0) continue;
  console.log(`\n--- ${name} ---\n${problems.join('\n')}`);
  process.exitCode = 1;
}
