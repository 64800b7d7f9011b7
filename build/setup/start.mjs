// `npm start`: sets the machine up where that is still needed, then runs the service under Node 24, or under Electron.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import module from 'node:module';
import { environmentFor, runSetup, say } from './machine/setupError.mjs';
import { isChecked, marksOf, noteChecked, startBundle } from './machine/startBundle.mjs';
import { startSettings } from './startSettings.mjs';

// For `import`, Node loads all that it exports, which a start waits for. What a start after the first does not need is
// imported where it is used.
const { fileURLToPath, pathToFileURL } = module.createRequire(import.meta.url)('node:url');

const root = fileURLToPath(new URL('../../', import.meta.url));
const args = process.argv.slice(2);

/** As the unit of the package does (build/linux/systemd/faceplate.service); package.json gives it to this program too. */
const HEAP = '--max-semi-space-size=4';

/** Types taken out and code compiled once: the next start needs a third less. */
const compiled = `${root}node_modules/.cache/faceplate`;

await runSetup(async () => {
  const { host, headless } = startSettings(args, process.env);
  const isKiosk = host === 'auto' || host === 'chromium';
  const isKnown = isChecked(root, isKiosk);
  const ofPackages = isKnown ? [] : await ensurePackages();
  const electron = await electronFor(host, headless);
  const ofPages = isKnown ? [] : await ensurePages();
  if (typeof ofPages === 'number') return ofPages;
  if (electron !== undefined) return runElectron(electron);
  const ofKiosk = isKnown || !isKiosk ? [] : await ensureKiosk();
  const checked = [ofPackages, ofPages, ofKiosk];
  if (!isKnown && !checked.includes(undefined)) noteChecked(root, isKiosk, checked.flat());
  return runService();
});

/** @returns marks of what was checked; undefined where nothing can be known of them */
async function ensurePackages() {
  const { ensureNpmPackages } = await import('./machine/npmPackages.mjs');
  const files = await ensureNpmPackages(root, say);
  return files.length === 0 ? undefined : marksOf(root, () => files);
}

/** Electron's program, where it is to show the page. */
async function electronFor(host, headless) {
  if (isHelp() || (host !== 'auto' && host !== 'electron')) return undefined;
  const { chooseElectron } = await import('./electron/chooseElectron.mjs');
  return chooseElectron({ host, headless, root, node: await findNode(), say });
}

/** @returns as `ensurePackages`; a number is the exit status of a bundler that failed */
async function ensurePages() {
  const { madePages, sourcesOfPages, stalePages } = await import('./machine/stalePages.mjs');
  // Before they are looked at: what changes meanwhile is checked again by the next start.
  const sources = marksOf(root, () => sourcesOfPages(root));
  if (stalePages(root).length > 0) {
    const status = await runTypeScript('build/bundle/manage.ts');
    if (status !== 0) return status;
  }
  const made = marksOf(root, madePages);
  return sources && made && [...sources, ...made];
}

/** @returns as `ensurePackages` */
async function ensureKiosk() {
  const { ensureDebianPackages, kioskPackages, placesOf } = await import('./machine/debianPackages.mjs');
  const otherwise = '\nWithout a kiosk window, the HTTP API alone: npm start -- --host none';
  ensureDebianPackages(kioskPackages, say, otherwise);
  const places = placesOf(kioskPackages);
  return places && marksOf(root, () => places);
}

/** Options that need no window. */
function isHelp() {
  return args.includes('--help') || args.includes('--version');
}

/**
 * The sources as one bundle load in half the time. It is made anew where a source has changed; where it cannot be made, the
 * sources run, which say what is wrong with them.
 */
async function runService() {
  const program = startBundle(root) ?? (await makeBundle()) ?? `${root}server/main.ts`;
  const isNode24 = Number(process.versions.node.split('.')[0]) >= 24;
  if (program.endsWith('.ts') || !isNode24 || !process.execArgv.includes(HEAP))
    return runNode([HEAP, program, ...args], { env: { NODE_COMPILE_CACHE: compiled } });
  // In this process: a second Node would only take time and memory.
  ignoreExperiments();
  process.env.PATH = environmentFor(root).PATH;
  process.argv.splice(1, 1, program);
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE ?? compiled);
  await import(pathToFileURL(program).href);
  return Number(process.exitCode ?? 0);
}

/** As --disable-warning=ExperimentalWarning, which the first releases of Node 20 refuse. */
function ignoreExperiments() {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const print of printers) print.call(process, warning);
  });
}

async function makeBundle() {
  await runNode([`${root}build/bundle/service.ts`], { cwd: root, stdio: 'ignore' });
  return startBundle(root);
}

/** Electron runs no TypeScript, and its preload script has to be one file: both are bundled first. */
async function runElectron(electron) {
  const status = await runTypeScript('build/bundle/bundle.ts');
  if (status !== 0) return status;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  // Before version 38 it uses X by default.
  const screen = WAYLAND_DISPLAY && !DISPLAY ? { ELECTRON_OZONE_PLATFORM_HINT: 'wayland' } : {};
  const env = { NODE_COMPILE_CACHE: compiled, ...screen };
  return run(electron, [`${root}dist/electron/main.js`, ...args], { env });
}

/** Runs a script of the build; what it prints matters only where it fails. */
function runTypeScript(script) {
  return runNode([root + script], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Runs a Node 24. @see run */
async function runNode(words, options) {
  return run(await findNode(), ['--disable-warning=ExperimentalWarning', ...words], options);
}

/** Runs a program in our place; `env` is for what our environment does not set. @returns its exit status */
async function run(program, words, { env = {}, ...options }) {
  const { runProgram } = await import('./machine/runProgram.mjs');
  return runProgram(program, words, { ...options, env: { ...env, ...environmentFor(root) } });
}

async function findNode() {
  const { findNode24 } = await import('./machine/npmPackages.mjs');
  return findNode24(root);
}
