// `npm run soak`: installs what it needs on this desk where that is missing, then runs it under Node 24. docs/soak.md says
// more. Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages, kioskPackages, soakPackages } from './debianPackages.mjs';
import { ensureNpmPackages, environmentFor, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup, say } from './setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  // A panel on the network brings its own browser, cameras and broker.
  const isDesk = !process.argv.some((argument) => /^--panel(=|$)/.test(argument));
  if (isDesk) ensureDebianPackages([...kioskPackages, ...soakPackages], say);
  await ensureNpmPackages(root, say);
  const node = findNode24(root);
  const options = { env: environmentFor(root) };
  const quiet = '--disable-warning=ExperimentalWarning';
  const made = isDesk ? await runProgram(node, [quiet, `${root}build/bundle/manage.ts`], options) : 0;
  if (made !== 0) return made;
  return runProgram(node, [quiet, `${root}build/soak/main.ts`, ...process.argv.slice(2)], options);
});
