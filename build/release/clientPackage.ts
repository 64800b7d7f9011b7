import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { ProjectFacts } from '../packages/projectFacts.ts';

const run = promisify(execFile);

/** The package.json of the client. */
export function clientManifest(version: string, { maintainer, homepage, license }: ProjectFacts): object {
  return {
    name: 'faceplate-client',
    version,
    description: 'Calls Faceplate panels, in Node and in browsers',
    license,
    author: maintainer,
    homepage,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    files: ['*.js', '*.d.ts', 'openapi.json'],
  };
}

/**
 * Makes the npm package of `client/` as `<out>/faceplate-client-<version>.tgz`: JavaScript for Node and browsers, types, and
 * the description of the API. The same sources make the same file.
 * @param work an empty folder
 */
export async function makeClientPackage(
  root: string,
  work: string,
  { version, facts, out }: { version: string; facts: ProjectFacts; out: string },
): Promise<string> {
  await mkdir(work, { recursive: true });
  await build({
    entryPoints: [join(root, 'client/index.ts')],
    outfile: join(work, 'index.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    logLevel: 'silent',
  });
  const types = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', work];
  const kind = ['--target', 'es2024', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', ''];
  const own = ['--ignoreConfig', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'];
  const sources = [join(root, 'client/index.ts')];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, ...types, ...kind, ...own, ...sources]);
  // The files of the package know each other as JavaScript.
  for (const name of ['index', 'calls', 'errors', 'eventStream'])
    await rewriteImports(join(work, `${name}.d.ts`));
  await copyFile(join(root, 'client/README.md'), join(work, 'README.md'));
  await copyFile(join(root, 'docs/openapi.json'), join(work, 'openapi.json'));
  await copyFile(join(root, 'LICENSE'), join(work, 'LICENSE'));
  await writeFile(join(work, 'package.json'), `${JSON.stringify(clientManifest(version, facts), null, 2)}\n`);
  // npm gives every file the same time and owner.
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: work });
  await rm(work, { recursive: true });
  return `faceplate-client-${version}.tgz`;
}

/**
 * Makes the npm package with the types of `window.container` as `<out>/faceplate-types-<version>.tgz`.
 * @param work as for the client
 */
export async function makeTypesPackage(
  root: string,
  work: string,
  { version, facts, out }: { version: string; facts: ProjectFacts; out: string },
): Promise<string> {
  const files = join(root, 'docs/examples/types');
  await cp(files, work, { recursive: true });
  await copyFile(join(root, 'preload/container.d.ts'), join(work, 'container.d.ts'));
  const { license, maintainer: author, homepage } = facts;
  const manifest = {
    ...JSON.parse(await readFile(join(files, 'package.json'), 'utf8')),
    version,
    license,
    author,
    homepage,
  };
  await writeFile(join(work, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(root, 'LICENSE'), join(work, 'LICENSE'));
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: work });
  await rm(work, { recursive: true });
  return `faceplate-types-${version}.tgz`;
}

async function rewriteImports(path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  await writeFile(`${path}.new`, text.replace(/(from ['"]\.\/\w+)\.ts(['"])/g, '$1.js$2'));
  await rename(`${path}.new`, path);
}
