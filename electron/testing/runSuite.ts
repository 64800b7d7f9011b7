import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { freeTcpPort } from '../../server/testing/freePort.ts';

/** Longest run of the suite, in milliseconds. */
export const SUITE_LIMIT_MS = 600_000;

async function bundle(file: string, outfile: string, format: 'esm' | 'cjs'): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, file)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format,
    external: ['electron'],
    logLevel: 'silent',
  });
}

/** Makes Electron's files for one run of the suite: the suite, its runner and the preload scripts. */
export async function makeSuite(folder: string): Promise<NodeJS.ProcessEnv> {
  const place = (file: string) => join(folder, file);
  await bundle('suiteInElectron.ts', place('suite.mjs'), 'esm');
  await bundle('suiteRunner.ts', place('runner.mjs'), 'esm');
  await bundle('../../preload/electronPreload.ts', place('preload.cjs'), 'cjs');
  await bundle('../../preload/builtInPreload.ts', place('builtInPreload.cjs'), 'cjs');
  const manifest = { name: 'faceplate-suite', main: 'runner.mjs', type: 'module' };
  await writeFile(place('package.json'), JSON.stringify(manifest));
  return {
    SUITE_FILE: place('suite.mjs'),
    SUITE_PRELOAD: place('preload.cjs'),
    SUITE_BUILT_IN_PRELOAD: place('builtInPreload.cjs'),
    SUITE_DATA: place('data'),
  };
}

/**
 * Runs the suite of both hosts in a real Electron, which prints each row as it ends.
 * @param program Electron's program
 * @param onStarted gets the process, for its output
 * @returns its exit status: 0 when every row holds
 */
export async function runSuite(
  program: string,
  stdout: 'inherit' | 'pipe',
  onStarted: (child: ChildProcess) => void = () => {},
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-electron-suite-'));
  try {
    const child = spawn(program, [folder], {
      stdio: ['ignore', stdout, 'inherit'],
      env: { ...process.env, ...(await makeSuite(folder)), SUITE_DEBUG_PORT: String(await freeTcpPort()) },
      timeout: SUITE_LIMIT_MS,
    });
    onStarted(child);
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
