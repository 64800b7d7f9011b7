import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { putInPlace } from './putInPlace.ts';

/** Bundles a page above the kiosk page: the glass, or the keyboard. It is made beside `target` first, as `buildManage` does. */
export async function buildLayer(root: string, name: 'glass' | 'keys', target: string): Promise<void> {
  const source = join(root, 'server/pages', name);
  const made = `${target}.${process.pid}`;
  rmSync(made, { recursive: true, force: true });
  await build({
    entryPoints: { main: join(source, 'main.ts'), style: join(source, 'style.css') },
    outdir: made,
    bundle: true,
    format: 'esm',
    target: 'chrome120',
    minify: true,
    legalComments: 'none',
    loader: { '.woff2': 'file' },
    assetNames: '[name]-[hash]',
    logLevel: 'warning',
  });
  const page = readFileSync(join(source, 'index.html'), 'utf8').replace('main.ts', 'main.js');
  writeFileSync(join(made, 'index.html'), page);
  putInPlace(made, target);
}
