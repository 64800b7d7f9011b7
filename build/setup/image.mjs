// `npm run image`: installs what makes images where that is missing, then runs it under Node 24. docs/image.md says more.
// Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages, imagePackages } from './debianPackages.mjs';
import { ensureNpmPackages, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup, say } from './setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  // Without root the command itself says what is wrong, before anything is installed.
  if (process.getuid?.() === 0) ensureDebianPackages(imagePackages, say);
  await ensureNpmPackages(root, say);
  const args = [
    '--disable-warning=ExperimentalWarning',
    `${root}build/image/main.ts`,
    ...process.argv.slice(2),
  ];
  return runProgram(findNode24(root), args, {});
});
