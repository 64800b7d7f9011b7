import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { freeTcpPort } from '../../server/testing/freePort.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { AS_BEFORE, type Row } from './rowRunner.ts';

const here = import.meta.dirname;
/** Longest run of the suite, in milliseconds. */
const SUITE_LIMIT_MS = 480_000;
/** The Node inside Electron 33, the oldest that we promise to run in. */
const OLDEST_ELECTRON = 'node20';
/** `require` for the CommonJS packages inside, as build/bundle/bundle.ts has it. */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/** Many files become one: what a source reads from its own folder is there all the same. */
const keepPlaces: Plugin = {
  name: 'keep places',
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:server|electron)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};

async function bundle(file: string, outfile: string, options: BuildOptions): Promise<void> {
  await build({
    entryPoints: [join(here, file)],
    outfile,
    ...{
      bundle: true,
      platform: 'node',
      target: OLDEST_ELECTRON,
      external: ['electron'],
      plugins: [keepPlaces],
      logLevel: 'silent',
    },
    ...options,
  });
}

/**
 * Makes Electron's files for one run of the suite in `folder`: the suite with its runner, and the preload scripts.
 * @param alias modules that others stand in for, besides `node:test`
 * @returns the variables that its main script needs
 */
export async function makeSuite(folder: string, alias: Record<string, string> = {}) {
  const place = (file: string) => join(folder, file);
  await bundle('suiteRunner.ts', place('runner.mjs'), {
    format: 'esm',
    banner: { js: BANNER },
    alias: { 'node:test': join(here, 'rowRunner.ts'), ...alias },
  });
  for (const name of ['electronPreload', 'builtInPreload'])
    await bundle(`../../preload/${name}.ts`, place(`${name}.cjs`), { format: 'cjs' });
  const manifest = { name: 'faceplate-suite', main: 'runner.mjs', type: 'module' };
  await writeFile(place('package.json'), JSON.stringify(manifest));
  return {
    SUITE_PRELOAD: place('electronPreload.cjs'),
    SUITE_BUILT_IN_PRELOAD: place('builtInPreload.cjs'),
    SUITE_DATA: place('data'),
    SUITE_ROWS: place('rows'),
    SUITE_DEBUG_PORT: String(await freeTcpPort()),
  };
}

/**
 * Runs the suite of both hosts in a real Electron, which prints each row as it ends.
 * @param program Electron's program
 * @param parts of the suite, by name; all if there are none
 * @returns the rows; those that did not come because Electron ended before have failed
 */
export async function runSuite(program: string, parts: readonly string[]): Promise<Row[]> {
  const folder = temporaryFolder('suite');
  const suite = await makeSuite(folder);
  const child = spawn(program, [folder], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...suite, SUITE_PARTS: parts.join('\n') },
    timeout: SUITE_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const end = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? `status ${code}`));
  });
  return await readRows(suite.SUITE_ROWS, `Electron ended before it, with ${end}`);
}

async function readRows(file: string, why: string): Promise<Row[]> {
  const missing = { state: 'failed', ms: 0, why } as const;
  if (!existsSync(file)) return [{ part: 'the suite', name: 'its start', ...missing }];
  const [wanted, ...rows] = (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line)) as [Pick<Row, 'part' | 'name'>[], ...Row[]];
  const came = new Set(rows.map(({ part, name }) => `${part} > ${name}`));
  const others = wanted.filter(({ part, name }) => !came.has(`${part} > ${name}`));
  return [
    ...rows,
    ...others.map((row, index) => ({ ...row, ...missing, ...(index > 0 && { why: AS_BEFORE }) })),
  ];
}
