import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '../..');

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['server/main.ts'],
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

/** Packages whose subject is off by default, or is asked for now and then. */
const LATER = ['werift', 'mqtt', '@peculiar/x509', 'prom-client', 'x11'];

/** What a caller is promised, and settings are checked with: pure, and small. */
const pure = /\/(?:contract|\w+Contract)\.ts$/;

/** What each start loads: the program, and then the rest of the service. */
const STEPS = [
  'server/main.ts',
  'server/service.ts',
  'server/start/steps.ts',
  'server/surfaces/http/api.ts',
  'server/kiosk/chooseHost.ts',
];

test('should load nothing at the start that a panel without cameras, intercom and broker never needs', () => {
  const loaded = loadedBy(...STEPS);
  for (const name of LATER)
    assert.deepEqual(
      loaded.filter((path) => path.includes(`node_modules/${name}/`)),
      [],
    );
  assert.ok(loaded.some((path) => path.includes('node_modules/fastify/')));
  assert.ok(loaded.includes('server/video/service.ts'));
  for (const folder of [
    ...['server/intercom/sip/', 'server/intercom/media/', 'server/surfaces/mqtt/'],
    // Its socket loads koffi.
    'server/webrtc/ice/',
  ])
    assert.deepEqual(
      loaded.filter((path) => path.startsWith(folder) && !pure.test(path)),
      [],
    );
});

test("should load only settings, socket and profile before the browser's program is started", () => {
  const loaded = loadedBy('server/main.ts');
  assert.ok(loaded.includes('server/kiosk/early.ts'));
  const packages = loaded.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  for (const name of ['fastify', 'ws', 'koffi', 'yauzl']) assert.ok(!packages.includes(name), name);
  for (const folder of ['server/parts/', 'server/video/', 'server/commands/'])
    assert.deepEqual(
      loaded.filter((path) => path.startsWith(folder) && !pure.test(path)),
      [],
    );
});

test("should not load Node's fetch client with its HTTP (server/platform/net/nodeHttp.ts)", () => {
  const importing = Object.entries(metafile.inputs)
    .filter(([, { imports }]) =>
      imports.some(({ path, kind }) => /^(?:node:)?http$/.test(path) && kind === 'import-statement'),
    )
    .map(([path]) => path);
  assert.deepEqual(importing, []);
});

test('should make nothing that knows languages while it loads: the first takes 7 ms', () => {
  const making = loadedBy(...STEPS).filter(
    (path) =>
      path.startsWith('server/') &&
      /^(?:export )?(?:const|let) .*\bnew Intl\./m.test(readFileSync(join(root, path), 'utf8')),
  );
  assert.deepEqual(making, []);
});

/** Sources that a program loads from these files on, without what they import later. */
function loadedBy(...entries: string[]): string[] {
  const names = Object.keys(metafile.outputs);
  const first = entries.map((entry) => names.find((name) => metafile.outputs[name]!.entryPoint === entry)!);
  return [...reached(metafile, first)].flatMap((name) => Object.keys(metafile.outputs[name]!.inputs));
}

function reached({ outputs }: Metafile, first: readonly string[]): Set<string> {
  const found = new Set(first);
  for (const name of found)
    for (const { path, kind } of outputs[name]!.imports)
      if (kind === 'import-statement' && outputs[path] !== undefined) found.add(path);
  return found;
}
