// `npm run build [-- folder [version]]`: makes dist/ (or the folder that is given), which runs with Node 24 and the few packages that bring a
// native part.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, parse, relative, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { buildLayer } from './layerPage.ts';
import { buildManage } from './manageApp.ts';

const root = join(import.meta.dirname, '../..');
const dist = resolve(process.argv[2] ?? join(root, 'dist'));

/** Packages with a native part, and electron itself, cannot be bundled. */
const EXTERNAL = ['electron', 'koffi', 'serialport'];

/**
 * Many files become one, so `import.meta` no longer gives the place of each source. Each keeps its place in the tree:
 * files that a source reads from its own folder are at the same place below dist/.
 */
const keepPlaces: Plugin = {
  name: 'keep places',
  setup({ onLoad }) {
    onLoad({ filter: /\/(server|electron|preload)\/.*\.ts$/ }, async ({ path }) => {
      const file = relative(root, path);
      const source = await readFile(path, 'utf8');
      const contents = source
        .replaceAll('import.meta.dirname', `distPathOf(${JSON.stringify(join(file, '..'))})`)
        .replaceAll('import.meta.url', `distUrlOf(${JSON.stringify(file)})`);
      return { contents, loader: 'ts' };
    });
  },
};

/**
 * What libraries load and the service never calls: the sentences of zod in fifty languages, and the search for files
 * with which @fastify/static can make one route for each.
 */
const leaveOut: Plugin = {
  name: 'leave out',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      /\/zod\/v4\//.test(importer) ? { path: 'locales', namespace: 'left out' } : undefined,
    );
    onResolve({ filter: /^glob$/ }, () => ({ path: 'glob', namespace: 'left out' }));
    onLoad({ filter: /.*/, namespace: 'left out' }, () => ({ contents: 'export const glob = undefined;' }));
  },
};

/**
 * For every bundle and its parts, which lie in one folder below dist/: `distPathOf`, and `require` for the CommonJS packages
 * inside. A name that a source file uses too would be declared twice, and the bundle would not start.
 */
const BANNER = `import { createRequire as bannerRequire } from 'node:module';
import { join as bannerJoin } from 'node:path';
import { pathToFileURL as bannerUrl } from 'node:url';
const require = bannerRequire(import.meta.url);
const distPathOf = (path) => bannerJoin(import.meta.dirname, '..', path);
const distUrlOf = (path) => bannerUrl(distPathOf(path)).href;`;

/** The Node inside Electron 33, the oldest that we promise to run in. */
const OLDEST_ELECTRON = 'node20';

const LOOK = 'server/pages/glass/look/tokens.css';

/** ES module for Node 24. */
const nodeModule: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // What is imported only where it is needed becomes a file of its own, which costs no memory elsewhere.
  splitting: true,
  external: EXTERNAL,
  plugins: [keepPlaces, leaveOut],
  banner: { js: BANNER },
  // V8 keeps the text of a program in memory, and with two bytes for each character if one character of it, be it in a
  // comment of a library, is beyond Latin-1. Names stay, so that stacks can be read.
  minifyWhitespace: true,
  lineLimit: 120,
  charset: 'ascii',
  legalComments: 'external',
  logLevel: 'warning',
};

// Removes nothing else there: dist/ has packages, images and panels too, and the pages of a service that runs from the
// sources stay until the new ones exist.
for (const name of [
  'server',
  'helper',
  'starter',
  'safeStop',
  'probe',
  'electron',
  'preload',
  'renderer-demo',
])
  rmSync(join(dist, name), { recursive: true, force: true });
await bundle('server/main.ts', 'server/main.js', nodeModule);
await bundle('server/programs/helper/main.ts', 'helper/main.js', nodeModule);
await bundle('server/programs/helper/bootBackendMain.ts', 'helper/bootBackend.js', nodeModule);
await bundle('server/programs/starter/main.ts', 'starter/main.js', nodeModule);
await bundle('server/programs/safeStop/main.ts', 'safeStop/main.js', nodeModule);
await bundle('server/programs/probe/main.ts', 'probe/main.js', nodeModule);
await bundle('electron/main.ts', 'electron/main.js', { ...nodeModule, target: OLDEST_ELECTRON });
// A sandboxed preload script must be one CommonJS file.
for (const name of ['electronPreload', 'builtInPreload'])
  await bundle(`preload/${name}.ts`, `preload/${name}.cjs`, {
    bundle: true,
    platform: 'node',
    target: OLDEST_ELECTRON,
    format: 'cjs',
    external: ['electron'],
    logLevel: 'warning',
  });
cpSync(join(root, 'docs/pictures/icon.png'), join(dist, 'electron/icon.png'));
copyBesides('server', (path) => !/\.(tsx?|md)$|\/testing\/|\/pages\//.test(path));
await buildManage(root, join(dist, 'manage'));
for (const name of ['glass', 'keys'] as const) await buildLayer(root, name, join(dist, name));
// The waiting page has its colours, without a server.
cpSync(join(root, LOOK), join(dist, LOOK));
// These pages keep their TypeScript, because the demo shows its own source. Each module is also there without its types: a
// service that removed them itself would need 20 MiB more.
for (const page of ['server/pages/intercom', 'renderer-demo']) {
  copyBesides(page, (path) => !/\.(test|full)\.ts$|tsconfig\.json$/.test(path));
  stripTypes(join(dist, page));
}
writePackageJson();

async function bundle(from: string, to: string, options: BuildOptions): Promise<void> {
  if (!existsSync(join(root, from))) return;
  const { dir, name, ext } = parse(join(dist, to));
  await build({
    ...options,
    entryPoints: [{ in: join(root, from), out: name }],
    outdir: dir,
    outExtension: { '.js': ext },
    chunkNames: '[name]-[hash]',
  });
  console.log(relative(process.cwd(), join(dist, to)));
}

/** Writes `x.ts.js` beside each `x.ts`, with the same lines and columns. */
function stripTypes(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts')) continue;
    const path = join(folder, entry);
    writeFileSync(`${path}.js`, stripTypeScriptTypes(readFileSync(path, 'utf8')));
  }
}

/** Copies the files of a folder that `wanted` accepts to the same place below dist/. */
function copyBesides(folder: string, wanted: (path: string) => boolean): void {
  cpSync(join(root, folder), join(dist, folder), {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || wanted(path),
  });
}

/** Name and version for `info`, and the packages that have to be installed beside the bundles. */
function writePackageJson(): void {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    'name' | 'version' | 'oldestVersion' | 'license' | 'type',
    string
  > & { dependencies: Record<string, string> };
  const { name, oldestVersion, license, type, dependencies } = manifest;
  const version = process.argv[3] ?? manifest.version;
  const needed = Object.fromEntries(Object.entries(dependencies).filter(([key]) => EXTERNAL.includes(key)));
  const own = { name, version, oldestVersion, license, type, private: true, dependencies: needed };
  const text = JSON.stringify(own, null, 2);
  writeFileSync(join(dist, 'package.json'), `${text}\n`);
}
