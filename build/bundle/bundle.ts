// `npm run build [-- folder [version]]`: makes dist/ (or the folder that is given), which runs with Node 24 and the few packages that bring a
// native part.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, parse, relative, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { buildLayer } from './layerPage.ts';
import { buildManage } from './manageApp.ts';
import { EXTERNAL, nodeModuleIn, nodeScriptIn, START } from './nodeModule.ts';

const root = join(import.meta.dirname, '../..');
const dist = resolve(process.argv[2] ?? join(root, 'dist'));

/** The Node inside Electron 33, the oldest that we promise to run in. */
const OLDEST_ELECTRON = 'node20';

const LOOK = 'server/pages/glass/look/tokens.css';

/** ES modules, each with the files that it reads at its place below dist/. */
const nodeModule = nodeModuleIn('..');
const nodeScript = nodeScriptIn('..');

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
await bundle('server/bundledMain.ts', 'server/begin.cjs', nodeScript);
writeFileSync(join(dist, 'server/main.js'), `await ${START}.started;\n`);
await bundle('server/service.ts', 'server/service.cjs', nodeScript);
await bundle('server/programs/helper/main.ts', 'helper/main.js', nodeModule);
await bundle('server/programs/helper/bootBackendMain.ts', 'helper/bootBackend.js', nodeModule);
await bundle('server/programs/starter/main.ts', 'starter/main.js', nodeModule);
await bundle('server/programs/safeStop/main.ts', 'safeStop/main.js', nodeModule);
await bundle('server/programs/probe/main.ts', 'probe/main.js', nodeModule);
await bundle('electron/start/start.ts', 'electron/begin.cjs', { ...nodeScript, target: OLDEST_ELECTRON });
writeFileSync(join(dist, 'electron/main.js'), `${START};\n`);
await bundle('electron/main.ts', 'electron/program.cjs', { ...nodeScript, target: OLDEST_ELECTRON });
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
