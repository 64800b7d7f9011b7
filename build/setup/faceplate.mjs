#!/usr/bin/env node
// `npx faceplate` in a checkout: installs the npm packages where they are missing, then runs the command line under
// Node 24. Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureNpmPackages, findNode24 } from './machine/npmPackages.mjs';
import { runProgram } from './machine/runProgram.mjs';
import { runSetup } from './machine/setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  // What it prints belongs to the caller's program: words of the set-up go to standard error.
  await ensureNpmPackages(root, (line) => void process.stderr.write(`${line}\n`));
  const args = [
    '--disable-warning=ExperimentalWarning',
    `${root}client/cli/main.ts`,
    ...process.argv.slice(2),
  ];
  return runProgram(findNode24(root), args, {});
});
