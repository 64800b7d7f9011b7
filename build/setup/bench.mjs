// `npm run bench`: installs what it needs where that is missing, then runs it under Node 24. docs/benchmarks.md says more.
// Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import {
  ensureDebianPackages,
  fullTestPackages,
  kioskPackages,
  panelTestPackages,
} from './debianPackages.mjs';
import { ensureNpmPackages, environmentFor, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup, say } from './setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  const args = process.argv.slice(2);
  // It runs only where it is named.
  const panel = args.includes('panel') ? panelTestPackages : [];
  ensureDebianPackages([...kioskPackages, ...fullTestPackages, ...panel], say);
  await ensureNpmPackages(root, say);
  const program = ['--disable-warning=ExperimentalWarning', `${root}build/bench/all.ts`];
  return runProgram(findNode24(root), [...program, ...args], { env: environmentFor(root) });
});
