// `npm run dist:electron [-- x64 arm64] [--dir]`: AppImage and .deb of the Electron flavour in dist/electron/, or with
// --dir the unpacked folder alone. Fetches Electron and electron-builder's own tools, so it needs the network;
// ELECTRON_OVERRIDE_DIST_PATH gives an unpacked Electron instead, and with --dir nothing is fetched then.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'electron-builder';
import type { Arch } from './debian/packageTree.ts';
import { electronBuilderConfiguration, prepareElectronApp } from './electronBuilder.ts';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'dist/electron-packages') },
  },
});
const electronDist = process.env.ELECTRON_OVERRIDE_DIST_PATH;

for (const arch of positionals.length > 0 ? positionals : [process.arch]) {
  if (arch !== 'x64' && arch !== 'arm64') throw new Error(`There is no package for ${arch}: x64 or arm64.`);
  const work = mkdtempSync(join(tmpdir(), 'faceplate-electron-app-'));
  try {
    const app = join(work, 'app');
    await prepareElectronApp(root, { app, cache: join(work, 'cache'), arch: arch satisfies Arch, bundle });
    const config = electronBuilderConfiguration(root, {
      app,
      output: resolve(values.out),
      ...(electronDist && { electronDist }),
    });
    await build({ projectDir: root, config, linux: values.dir ? ['dir'] : [], [arch]: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function bundle(to: string): Promise<void> {
  const script = join(root, 'build/bundle.ts');
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script, to], {
    cwd: root,
  });
}
