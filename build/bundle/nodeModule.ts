import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

const root = join(import.meta.dirname, '../..');

/** Packages with a native part, and electron itself, cannot be bundled. */
export const EXTERNAL: readonly string[] = ['electron', 'koffi', 'serialport'];

/**
 * Many files become one, so `import.meta` no longer gives the place of each source. Each keeps its place in the tree:
 * files that a source reads from its own folder are at the same place below the folder of `nodeModuleIn`.
 */
const keepPlaces: Plugin = {
  name: 'keep places',
  setup({ onLoad }) {
    onLoad({ filter: /\/(server|electron|preload)\/.*\.ts$/ }, async ({ path }) => {
      const file = placeOf(path);
      const source = await readFile(path, 'utf8');
      const contents = source
        .replaceAll('import.meta.dirname', `distPathOf(${JSON.stringify(join(file, '..'))})`)
        .replaceAll('import.meta.url', `distUrlOf(${JSON.stringify(file)})`);
      return { contents, loader: 'ts' };
    });
  },
};

/** Folders of the sources where they really are: the bundler follows links, and a folder may be one. */
const folders = ['server', 'electron', 'preload'].flatMap((name) => {
  const folder = join(root, name);
  return existsSync(folder) ? [{ name, real: realpathSync(folder) }] : [];
});

/** Path of a source from the root. */
function placeOf(path: string): string {
  const found = folders.find(({ real }) => path.startsWith(`${real}/`));
  return found === undefined ? relative(root, path) : join(found.name, relative(found.real, path));
}

/**
 * What libraries load and the service never calls: the sentences of zod in fifty languages, the search for files with which
 * @fastify/static can make one route for each, and HTTP/2, which takes 3 ms of a start.
 */
const leaveOut: Plugin = {
  name: 'leave out',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      /\/zod\/v4\//.test(importer) ? { path: 'locales', namespace: 'left out' } : undefined,
    );
    onResolve({ filter: /^(?:glob|node:http2)$/ }, ({ path }) => ({ path, namespace: 'left out' }));
    onLoad({ filter: /.*/, namespace: 'left out' }, () => ({ contents: 'export const glob = undefined;' }));
  },
};

/**
 * How our programs become ES modules for Node 24.
 * @param folder from the bundle to the folder whose tree has the files that sources read from their own folders
 */
export function nodeModuleIn(folder: string): BuildOptions {
  return {
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // What is imported only where it is needed becomes a file of its own, which costs no memory elsewhere.
    splitting: true,
    external: [...EXTERNAL],
    plugins: [keepPlaces, leaveOut],
    banner: { js: bannerOf(folder) },
    // V8 keeps the text of a program in memory, and with two bytes for each character if one character of it, be it in a
    // comment of a library, is beyond Latin-1. Names stay, so that stacks can be read.
    minifyWhitespace: true,
    lineLimit: 120,
    charset: 'ascii',
    legalComments: 'external',
    logLevel: 'warning',
  };
}

/** The same as one CommonJS script, whose code can be compiled as a whole (server/platform/files/compiledCode.ts). @see nodeModuleIn */
export function nodeScriptIn(folder: string): BuildOptions {
  return {
    ...nodeModuleIn(folder),
    format: 'cjs',
    splitting: false,
    // A script has no loader of its own for what it imports later.
    supported: { 'dynamic-import': false },
    banner: { js: PLACES_OF_SCRIPT.replace('FOLDER', JSON.stringify(folder)) },
  };
}

/**
 * The module that starts a bundle, whose program is a CommonJS module beside it: for each module of Node that an ES module
 * imports, Node loads all that it exports, which takes 5 ms before a browser's program can start.
 */
export const START = "process.getBuiltinModule('node:module').createRequire(import.meta.url)('./begin.cjs')";

/**
 * For every bundle and its parts, which lie in one folder: `distPathOf`, and `require` for the CommonJS packages inside. A
 * name that a source file uses too would be declared twice, and the bundle would not start.
 */
function bannerOf(folder: string): string {
  return `import { createRequire as bannerRequire } from 'node:module';
import { join as bannerJoin } from 'node:path';
import { pathToFileURL as bannerUrl } from 'node:url';
const require = bannerRequire(import.meta.url);
const distPathOf = (path) => bannerJoin(import.meta.dirname, ${JSON.stringify(folder)}, path);
const distUrlOf = (path) => bannerUrl(distPathOf(path)).href;`;
}

const PLACES_OF_SCRIPT = `const { join: bannerJoin } = require('node:path');
const { pathToFileURL: bannerUrl } = require('node:url');
const distPathOf = (path) => bannerJoin(__dirname, FOLDER, path);
const distUrlOf = (path) => bannerUrl(distPathOf(path)).href;`;
