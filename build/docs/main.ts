// `npm run docs` shows the documentation as a site on this machine; `npm run docs -- build` writes it to dist/docs.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DocsServer } from './server.ts';
import { buildSite } from './site.ts';

/** Taken where it is free, so that the address stays the same; else any free one is. */
const USUAL_PORT = 8090;

const root = join(import.meta.dirname, '../..');

async function writeSite(): Promise<void> {
  const { files, problems } = await buildSite(root);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exitCode = 1;
    return;
  }
  const folder = join(root, 'dist/docs');
  rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  console.log(`${files.size} files in dist/docs; begin with dist/docs/index.html`);
}

async function showSite(): Promise<void> {
  const server = new DocsServer(() => buildSite(root));
  console.log(`The documentation is at ${await server.start(USUAL_PORT)} (Ctrl+C ends it)`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void server.stop());
}

const [order, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (order !== undefined && order !== 'build')) {
  console.error('npm run docs shows the documentation; npm run docs -- build writes it to dist/docs.');
  process.exitCode = 1;
} else await (order === 'build' ? writeSite() : showSite());
