// `npm start`: sets the machine up where that is still needed, then runs the service under Node 24, or under Electron.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { chooseElectron } from './electron/chooseElectron.mjs';
import { ensureDebianPackages, kioskPackages } from './machine/debianPackages.mjs';
import { ensureNpmPackages, environmentFor, findNode24 } from './machine/npmPackages.mjs';
import { runProgram } from './machine/runProgram.mjs';
import { runSetup, say } from './machine/setupError.mjs';
import { stalePages } from './machine/stalePages.mjs';
import { startSettings } from './startSettings.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const args = process.argv.slice(2);

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
  // As the unit of the package does (build/linux/systemd/faceplate.service).
  const flags = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning'];
  return runProgram(node, [...flags, `${root}server/main.ts`, ...args], {
    // Types taken out and code compiled once: the next start needs a third less.
    env: { NODE_COMPILE_CACHE: `${root}node_modules/.cache/faceplate`, ...environmentFor(root) },
  });
});

/** Options that need no window. */
function isHelp() {
  return args.includes('--help') || args.includes('--version');
}

/** Electron runs no TypeScript, and its preload script has to be one file: both are bundled first. */
async function runElectron(electron, node) {
  const status = await runTypeScript(node, 'build/bundle/bundle.ts');
  if (status !== 0) return status;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  // Before version 38 it uses X by default.
  const screen = WAYLAND_DISPLAY && !DISPLAY ? { ELECTRON_OZONE_PLATFORM_HINT: 'wayland' } : {};
  return runProgram(electron, [`${root}dist/electron/main.js`, ...args], {
    env: { ...screen, ...environmentFor(root) },
  });
}

/** Runs a script of the build; what it prints matters only where it fails. */
function runTypeScript(node, script) {
  return runProgram(node, ['--disable-warning=ExperimentalWarning', root + script], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
