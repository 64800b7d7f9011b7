// `npm run check`: everything that can be told from the sources alone. The parts run at the same time.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rooms } from './layerRules.ts';
import { checkLayers, type Tree } from './layers.ts';
import { checkLockfile } from './lockfile.ts';
import { checkForbiddenTexts, checkLinks } from './texts.ts';

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

/** Files that are, or would be, in git: tracked and new ones, without ignored ones. */
async function readTree(): Promise<Tree> {
  const files = (await gitFiles().catch(() => folderFiles(''))).filter((file) =>
    existsSync(join(root, file)),
  );
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

async function gitFiles(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  return stdout.split('\0').filter((file) => file !== '');
}

/** Where there is no git, or this is no checkout of it: everything but what .gitignore names. */
function folderFiles(folder: string): string[] {
  const ignored = ['.git', ...readFileSync(join(root, '.gitignore'), 'utf8').split('\n')];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !ignored.includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? folderFiles(path) : [path];
    });
}

function typesPart(project: string): Part[] {
  if (!existsSync(join(root, project))) return [];
  return [{ name: `types ${project}`, find: () => problemsOf(join(bin, 'tsc'), ['-p', project]) }];
}

function generatedPart(): Part[] {
  const script = join(root, 'build/generate.ts');
  if (!existsSync(script)) return [];
  return [{ name: 'generated files', find: () => problemsOf(process.execPath, [script, '--check']) }];
}

const tree = await readTree();
const sources = new Map(
  [...tree].filter(([file]) =>
    /^(server|electron|preload|renderer-demo|e2e|build)\/.*(?<!\.d)\.(ts|mjs)$/.test(file),
  ),
);

const parts: readonly Part[] = [
  {
    name: 'format and lint',
    find: () => problemsOf(join(bin, 'biome'), ['check', '--error-on-warnings', '.']),
  },
  ...typesPart('tsconfig.json'),
  ...typesPart('preload/tsconfig.json'),
  ...typesPart('renderer-demo/tsconfig.json'),
  ...typesPart('server/pages/tsconfig.json'),
  ...typesPart('e2e/tsconfig.json'),
  { name: 'import rules', find: async () => checkLayers(sources, rooms) },
  ...generatedPart(),
  { name: 'links', find: async () => checkLinks(tree, root) },
  { name: 'forbidden texts', find: async () => checkForbiddenTexts(tree, root) },
  { name: 'lock file', find: async () => checkLockfile(root) },
];

const results = await Promise.all(
  parts.map(async ({ name, find }) => {
    const started = performance.now();
    const problems = await find();
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
