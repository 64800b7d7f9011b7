// `npm run probe`: installs the npm packages where they are missing, then lists the hardware of this machine under Node 24.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureNpmPackages, environmentFor, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup } from './setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  // What it prints may be a profile: words of the set-up go to standard error.
  await ensureNpmPackages(root, (line) => void process.stderr.write(`${line}\n`));
  const args = [
    '--disable-warning=ExperimentalWarning',
    `${root}server/programs/probe/main.ts`,
    ...process.argv.slice(2),
  ];
  return runProgram(findNode24(root), args, { env: environmentFor(root) });
});
