// `npm start`: sets the machine up where that is still needed, then runs the service under Node 24, or under Electron.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages, kioskPackages } from './debianPackages.mjs';
import { fetchElectron, findElectron } from './electronBinary.mjs';
import { ensureNpmPackages, environmentFor, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup, SetupError, say } from './setupError.mjs';
import { stalePages } from './stalePages.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const args = process.argv.slice(2);

await runSetup(async () => {
  const host = wantedHost();
  await ensureNpmPackages(root, say);
  const node = findNode24(root);
  const electron = await chooseElectron(host, node);
  if (stalePages(root).length > 0) {
    const made = await runTypeScript(node, 'build/manage.ts');
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
  // As the unit of the package does (build/linux/systemd/faceplate.service).
  const flags = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning'];
  return runProgram(node, [...flags, `${root}server/main.ts`, ...args], {
    // Types taken out and code compiled once: the next start needs a third less.
    env: { NODE_COMPILE_CACHE: `${root}node_modules/.cache/faceplate`, ...environmentFor(root) },
  });
});

/** What the settings given here ask for. */
function wantedHost() {
  const at = args.findLastIndex((arg) => arg === '--host' || arg.startsWith('--host='));
  const flag = at < 0 ? undefined : args[at].includes('=') ? args[at].split('=')[1] : args[at + 1];
  return flag ?? process.env.FACEPLATE_HOST ?? 'auto';
}

/** Electron's program if Electron shall show the page; `auto` uses an installed one and never fetches it. */
async function chooseElectron(host, node) {
  const isRoot = process.getuid?.() === 0;
  if (host === 'electron') {
    if (isRoot)
      throw new SetupError(
        'Electron does not run as root: start it as another user, or use --host chromium.',
      );
    return fetchElectron({ root, node, say });
  }
  if (host !== 'auto' || isHelp()) return undefined;
  const hasDisplay = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  const present = isRoot || !hasDisplay ? undefined : findElectron(root);
  if (present === undefined)
    say("host=auto: Electron is not used here; the system's Chromium shows the page.");
  return present;
}

/** Options that need no window. */
function isHelp() {
  return args.includes('--help') || args.includes('--version');
}

/** Electron runs no TypeScript, and its preload script has to be one file: both are bundled first. */
async function runElectron(electron, node) {
  const status = await runTypeScript(node, 'build/bundle.ts');
  if (status !== 0) return status;
  return runProgram(electron, [`${root}dist/electron/main.js`, ...args], { env: environmentFor(root) });
}

/** Runs a script of the build; what it prints matters only where it fails. */
function runTypeScript(node, script) {
  return runProgram(node, ['--disable-warning=ExperimentalWarning', root + script], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
