// `npm start`: sets the machine up where that is still needed, then runs the service under Node 24, or under Electron.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chooseElectron } from './electron/chooseElectron.mjs';
import { ensureDebianPackages, kioskPackages } from './machine/debianPackages.mjs';
import { ensureNpmPackages, environmentFor, findNode24 } from './machine/npmPackages.mjs';
import { runProgram } from './machine/runProgram.mjs';
import { runSetup, say } from './machine/setupError.mjs';
import { stalePages } from './machine/stalePages.mjs';
import { startBundle } from './machine/startBundle.mjs';
import { startSettings } from './startSettings.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const args = process.argv.slice(2);

/** As the unit of the package does (build/linux/systemd/faceplate.service); package.json gives it to this program too. */
const HEAP = '--max-semi-space-size=4';

/** Types taken out and code compiled once: the next start needs a third less. */
const compiled = `${root}node_modules/.cache/faceplate`;

await runSetup(async () => {
  await ensureNpmPackages(root, say);
  const node = findNode24(root);
  const { host, headless } = startSettings(args, process.env);
  const electron = isHelp() ? undefined : await chooseElectron({ host, headless, root, node, say });
  if (stalePages(root).length > 0) {
    const made = await runTypeScript(node, 'build/bundle/manage.ts');
    if (made !== 0) return made;
  }
  if (electron !== undefined) return runElectron(electron, node);
  if (host === 'auto' || host === 'chromium') {
    ensureDebianPackages(
      kioskPackages,
      say,
      '\nWithout a kiosk window, the HTTP API alone: npm start -- --host none',
    );
  }
  return runService(node);
});

/** Options that need no window. */
function isHelp() {
  return args.includes('--help') || args.includes('--version');
}

/**
 * The sources as one bundle load in half the time. It is made anew where a source has changed; where it cannot be made, the
 * sources run, which say what is wrong with them.
 */
async function runService(node) {
  const program = startBundle(root) ?? (await makeBundle(node)) ?? `${root}server/main.ts`;
  const env = environmentFor(root);
  const isNode24 = Number(process.versions.node.split('.')[0]) >= 24;
  if (program.endsWith('.ts') || !isNode24 || !process.execArgv.includes(HEAP))
    return runProgram(node, [HEAP, '--disable-warning=ExperimentalWarning', program, ...args], {
      env: { NODE_COMPILE_CACHE: compiled, ...env },
    });
  // In this process: a second Node would only take time and memory.
  ignoreExperiments();
  Object.assign(process.env, env);
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

async function makeBundle(node) {
  const script = `${root}build/bundle/service.ts`;
  await runProgram(node, ['--disable-warning=ExperimentalWarning', script], { cwd: root, stdio: 'ignore' });
  return startBundle(root);
}

/** Electron runs no TypeScript, and its preload script has to be one file: both are bundled first. */
async function runElectron(electron, node) {
  const status = await runTypeScript(node, 'build/bundle/bundle.ts');
  if (status !== 0) return status;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  // Before version 38 it uses X by default.
  const screen = WAYLAND_DISPLAY && !DISPLAY ? { ELECTRON_OZONE_PLATFORM_HINT: 'wayland' } : {};
  return runProgram(electron, [`${root}dist/electron/main.js`, ...args], {
    env: { NODE_COMPILE_CACHE: compiled, ...screen, ...environmentFor(root) },
  });
}

/** Runs a script of the build; what it prints matters only where it fails. */
function runTypeScript(node, script) {
  return runProgram(node, ['--disable-warning=ExperimentalWarning', root + script], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
