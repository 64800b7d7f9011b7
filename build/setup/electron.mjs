// `npm run test:electron`: installs the npm packages where they are missing, then runs the host suite in a real Electron.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureNpmPackages, environmentFor, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup, say } from './setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  await ensureNpmPackages(root, say);
  const args = ['--disable-warning=ExperimentalWarning', `${root}electron/testing/main.ts`];
  return runProgram(findNode24(root), args, { env: environmentFor(root) });
});
