// `npm run docs` shows the documentation as a site on this machine; `npm run docs -- build [folder]` writes it to
// dist/docs or another folder, which is emptied.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { DocsServer } from './server.ts';
import { buildSite } from './site.ts';

/** Taken where it is free, so that the address stays the same; else any free one is. */
const USUAL_PORT = 8090;

const root = join(import.meta.dirname, '../..');

async function writeSite(folder: string): Promise<void> {
  const { files, problems } = await buildSite(root);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exitCode = 1;
    return;
  }
  rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const shown = relative(process.cwd(), folder);
  console.log(`${files.size} files in ${shown}; begin with ${shown}/index.html`);
}

async function showSite(): Promise<void> {
  const server = new DocsServer(() => buildSite(root));
  console.log(`The documentation is at ${await server.start(USUAL_PORT)} (Ctrl+C ends it)`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void server.stop());
}

const [order, folder, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (order !== undefined && order !== 'build')) {
  console.error(
    'npm run docs shows the documentation; npm run docs -- build [folder] writes it to dist/docs.',
  );
  process.exitCode = 1;
} else await (order === 'build' ? writeSite(resolve(folder ?? join(root, 'dist/docs'))) : showSite());
