// `node build/testing/wpt.ts <folder> [part ...]`: runs web-platform-tests that need no special server, from a copy in `folder`,
// in the kiosk and in plain Chromium, and prints what passes twice there and fails twice here. Parts are its folders.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { openKiosk, openPlain } from '../../e2e/bare/bareBrowser.ts';
import type { ReportSite, SiteFile } from '../../e2e/bare/reportSite.ts';

/** Results by subtest: 0 is passed (testharness.js). */
type Results = Readonly<Record<string, number>>;

/** Longest time for one file, in milliseconds; the harness itself gives up after ten seconds. */
const FILE_MS = 12_000;
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
  '.xhtml': 'application/xhtml+xml',
  '.xml': 'text/xml',
};
/** Tests that need the server of the suite, its driver, or a person. */
const NEEDS_MORE = /\.py\b|\.sub\.|\{\{|testdriver|-manual|\.https\.|\.asis|\.headers/;

const [folder = '', ...parts] = process.argv.slice(2);
await using stack = new AsyncDisposableStack();
const plain = stack.use(await openPlain()).site;
const kiosk = stack.use(await openKiosk()).site;
for (const site of [plain, kiosk]) site.otherFiles = (path) => fileAt(site, path);
for (const part of parts.length > 0 ? parts : ['.']) {
  const tests = testsIn(join(folder, part));
  let passes = 0;
  let failures = 0;
  let silent = 0;
  for (const test of tests) {
    const compared = await compare(test);
    if (compared === undefined) {
      silent++;
      continue;
    }
    const { passed, failed } = compared;
    passes += passed;
    failures += failed.length;
    for (const line of failed) console.log(`${test}: ${line}`);
  }
  console.log(
    `${part}: ${tests.length} files; ${passes} subtests pass twice in plain Chromium, ${failures} of them fail here` +
      (silent > 0 ? ` (${silent} files report nothing there)` : ''),
  );
}

/**
 * @returns how many subtests pass twice in plain Chromium, and which of them fail twice here (a busy machine is late once);
 * undefined where plain Chromium reports nothing
 */
async function compare(test: string): Promise<{ passed: number; failed: string[] } | undefined> {
  const there = await run(plain, test);
  if (Object.keys(there).length === 0) return undefined;
  const again = await run(plain, test);
  const stable = Object.keys(there).filter((name) => there[name] === 0 && again[name] === 0);
  let failed = stable;
  let here: Results = {};
  for (let i = 0; i < 2 && failed.length > 0; i++) {
    here = await run(kiosk, test);
    failed = failed.filter((name) => here[name] !== 0);
  }
  return { passed: stable.length, failed: failed.map((name) => `${name}: ${here[name] ?? 'not run'}`) };
}

/** Paths of the tests in a folder, or of one file. */
function testsIn(place: string): string[] {
  if (statSync(place).isDirectory())
    return readdirSync(place)
      .toSorted()
      .filter((name) => !['resources', 'support', 'tools'].includes(name))
      .flatMap((name) => testsIn(join(place, name)));
  const path = `/${relative(folder, place)}`;
  if (NEEDS_MORE.test(path)) return [];
  const text = readFileSync(place, 'utf8');
  if (/\.(any|window)\.js$/.test(path)) return NEEDS_MORE.test(text) ? [] : [path.replace(/js$/, 'html')];
  if (!/\.html?$/.test(path) || !text.includes('testharnessreport.js') || NEEDS_MORE.test(text)) return [];
  return [path];
}

async function run(site: ReportSite, test: string): Promise<Results> {
  return site.visit<Results>(test, FILE_MS).catch(() => ({}));
}

function fileAt(site: ReportSite, path: string): SiteFile | undefined {
  if (path === '/resources/testharnessreport.js')
    return {
      type: 'text/javascript',
      body: `${site.ownScript}
        add_completion_callback((tests) =>
          bare.report(Object.fromEntries(tests.map(({ name, status }) => [name, status]))));`,
    };
  const place = join(folder, decodeURIComponent(path));
  if (existsSync(place) && statSync(place).isFile())
    return { type: TYPES[extname(place)] ?? 'application/octet-stream', body: readFileSync(place) };
  const script = place.replace(/html$/, 'js');
  return /\.(any|window)\.html$/.test(place) && existsSync(script)
    ? pageFor(readFileSync(script, 'utf8'), path)
    : undefined;
}

/** The page of a test that is only a script, with the scripts that its `// META` lines name. */
function pageFor(script: string, path: string): SiteFile {
  const named = [...script.matchAll(/^\/\/ META: script=(.+)$/gm)].map((match) => match[1]!.trim());
  const sources = [
    '/resources/testharness.js',
    '/resources/testharnessreport.js',
    ...named,
    path.replace(/html$/, 'js'),
  ];
  const tags = sources.map((source) => `<script src="${source}"></script>`).join('');
  return { body: `<!doctype html><meta charset="utf-8">${tags}<div id="log"></div>` };
}
