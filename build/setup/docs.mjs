// `npm run docs`: installs the npm packages where they are missing, then shows or builds the documentation under Node 24.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureNpmPackages, environmentFor, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup, say } from './setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  await ensureNpmPackages(root, say);
  const args = [
    '--disable-warning=ExperimentalWarning',
    `${root}build/docs/main.ts`,
    ...process.argv.slice(2),
  ];
  return runProgram(findNode24(root), args, { env: environmentFor(root) });
});
