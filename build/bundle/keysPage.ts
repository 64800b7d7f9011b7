import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { putInPlace } from './putInPlace.ts';

/** Bundles the page of the keyboard on the screen, beside `target` first, as `buildManage` does. */
export async function buildKeys(root: string, target: string): Promise<void> {
  const source = join(root, 'server/pages/keys');
  const made = `${target}.${process.pid}`;
  rmSync(made, { recursive: true, force: true });
  await build({
    entryPoints: { main: join(source, 'main.ts') },
    outdir: made,
    bundle: true,
    format: 'esm',
    target: 'chrome120',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  copyFileSync(join(source, 'style.css'), join(made, 'style.css'));
  const page = readFileSync(join(source, 'index.html'), 'utf8').replace('main.ts', 'main.js');
  writeFileSync(join(made, 'index.html'), page);
  putInPlace(made, target);
}
