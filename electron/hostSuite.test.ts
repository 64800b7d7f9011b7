import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { build } from 'esbuild';
import { findElectron } from '../server/testing/findElectron.ts';
import { freeTcpPort } from '../server/testing/freePort.ts';

const electron = findElectron();
const skip = 'missing' in electron && `Electron: ${electron.missing}, suite not run`;
if (skip) process.stdout.write(`\n*** ${skip} ***\n\n`);

const SUITE_LIMIT_MS = 200_000;

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

/** Electron's files for one run of the suite: the suite, its runner and the preload script. */
async function makeBundles(folder: string) {
  const [suite, runner, preload] = ['suite.mjs', 'runner.mjs', 'preload.cjs'].map((file) =>
    join(folder, file),
  );
  await bundle('testing/suiteInElectron.ts', suite!, 'esm');
  await bundle('testing/suiteRunner.ts', runner!, 'esm');
  await bundle('../preload/electronPreload.ts', preload!, 'cjs');
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'faceplate-suite', main: 'runner.mjs', type: 'module' }),
  );
  return { suite: suite!, preload: preload! };
}

describe('the contract of a host in Electron', () => {
  test('should bundle for Electron, also where there is no binary to run it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'faceplate-electron-suite-'));
    try {
      await makeBundles(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('should be kept by ElectronHost', { skip, timeout: SUITE_LIMIT_MS }, async () => {
    assert.ok('program' in electron);
    const folder = await mkdtemp(join(tmpdir(), 'faceplate-electron-suite-'));
    try {
      const { suite, preload } = await makeBundles(folder);
      const child = spawn(electron.program, [folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          SUITE_FILE: suite,
          SUITE_PRELOAD: preload,
          SUITE_DEBUG_PORT: String(await freeTcpPort()),
        },
        timeout: SUITE_LIMIT_MS - 5_000,
      });
      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      assert.equal(child.exitCode, 0, output);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
