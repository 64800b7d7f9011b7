import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** Packages whose subject is off by default, or is asked for now and then. */
const LATER = ['werift', 'mqtt', '@peculiar/x509', 'prom-client', 'x11'];

test('should load nothing at the start that a panel without cameras, intercom and broker never needs', async () => {
  const loaded = await loadedBy('server/main.ts');
  for (const name of LATER)
    assert.deepEqual(
      loaded.filter((path) => path.includes(`node_modules/${name}/`)),
      [],
    );
  assert.ok(loaded.some((path) => path.includes('node_modules/fastify/')));
  assert.ok(loaded.includes('server/video/service.ts'));
  for (const folder of ['server/intercom/sip/', 'server/intercom/media/', 'server/surfaces/mqtt/'])
    assert.deepEqual(
      loaded.filter((path) => path.startsWith(folder)),
      [],
    );
});

/** Sources that a program loads before its first line runs. */
async function loadedBy(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: 'unwritten',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: ['electron', 'koffi', 'serialport'],
    logLevel: 'error',
  });
  const first = Object.keys(metafile.outputs).find((name) => metafile.outputs[name]!.entryPoint === entry)!;
  return [...reached(metafile, first)].flatMap((name) => Object.keys(metafile.outputs[name]!.inputs));
}

function reached({ outputs }: Metafile, first: string): Set<string> {
  const found = new Set([first]);
  for (const name of found)
    for (const { path, kind } of outputs[name]!.imports)
      if (kind === 'import-statement' && outputs[path] !== undefined) found.add(path);
  return found;
}
