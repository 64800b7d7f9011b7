// `npm start`: sets the machine up where that is still needed, then runs the service under Node 24.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages, kioskPackages } from './debianPackages.mjs';
import { ensureNpmPackages, environmentFor, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup, say } from './setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const args = process.argv.slice(2);

await runSetup(async () => {
  if (wantsSystemBrowser()) {
    ensureDebianPackages(
      kioskPackages,
      say,
      '\nWithout a kiosk window, the HTTP API alone: npm start -- --host none',
    );
  }
  await ensureNpmPackages(root, say);
  return runProgram(
    findNode24(root),
    ['--disable-warning=ExperimentalWarning', `${root}server/main.ts`, ...args],
    { env: environmentFor(root) },
  );
});

/** Whether the settings given here leave it open that the system's Chromium is started. */
function wantsSystemBrowser() {
  const at = args.findLastIndex((arg) => arg === '--host' || arg.startsWith('--host='));
  const flag = at < 0 ? undefined : args[at].includes('=') ? args[at].split('=')[1] : args[at + 1];
  return !['none', 'electron'].includes(flag ?? process.env.FACEPLATE_HOST ?? 'auto');
}
