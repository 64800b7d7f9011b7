// Bundles the service for `npm start`, which runs it for as long as no source changes
// (build/setup/machine/startBundle.mjs): `node build/bundle/service.ts`.
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { BUNDLES, marksOf, STAMP } from '../setup/machine/startBundle.mjs';
import { nodeScriptIn, START } from './nodeModule.ts';

/** How many are left beside the new one: a start may just have chosen one of them. */
const KEPT = 2;
/** What a bundle depends on besides the files in it. */
const FURTHER = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'build/bundle/service.ts',
  'build/bundle/nodeModule.ts',
];

const root = join(import.meta.dirname, '../..');
const began = Date.now();
const name = `${began}-${process.pid}`;
const folder = join(root, BUNDLES, name);
const made = await Promise.all([
  // The files that sources read from their own folders are where they are for a service that runs from the sources.
  bundle('server/bundledMain.ts', 'begin'),
  bundle('server/service.ts', 'service'),
]);
const main = `${BUNDLES}/${name}/main.js`;
writeFileSync(join(root, main), `await ${START}.started;\n`);
const sources = marksOf(root, () => [
  ...new Set(
    made.flatMap(({ inputs }) => Object.keys(inputs)).filter((path) => !path.startsWith('left out:')),
  ),
  ...FURTHER,
]);
const outputs = marksOf(root, () => [main, ...made.flatMap((one) => Object.keys(one.outputs))]);
// A file that has changed meanwhile, or is gone, may be in the bundle as it was before: such a bundle is never run.
if (outputs && sources?.every(([, , modified, changed]) => Math.max(modified, changed) < began)) {
  const stamp = join(root, BUNDLES, STAMP);
  const files = [...sources, ...outputs];
  writeFileSync(`${stamp}.${process.pid}`, JSON.stringify({ main, files }));
  renameSync(`${stamp}.${process.pid}`, stamp);
}
const others = readdirSync(join(root, BUNDLES))
  .filter((each) => /^\d+-\d+$/.test(each) && each !== name)
  .sort();
for (const old of others.slice(0, Math.max(0, others.length - KEPT)))
  rmSync(join(root, BUNDLES, old), { recursive: true, force: true });

async function bundle(from: string, out: string): Promise<Metafile> {
  const { metafile } = await build({
    ...nodeScriptIn('../../..'),
    absWorkingDir: root,
    entryPoints: [{ in: join(root, from), out }],
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    // For whoever reads its stacks: its lines are those of the sources with NODE_OPTIONS=--enable-source-maps.
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
  });
  return metafile;
}
