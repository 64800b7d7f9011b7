// `npm run release`: installs what makes images where that is missing, then runs it under Node 24. docs/release.md says more.
// Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages, imagePackages } from './debianPackages.mjs';
import { ensureNpmPackages, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup, say } from './setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  // Without root the command itself says what is wrong, before anything is installed.
  if (makesImage(process.argv.slice(2)) && process.getuid?.() === 0) ensureDebianPackages(imagePackages, say);
  await ensureNpmPackages(root, say);
  const args = [
    '--disable-warning=ExperimentalWarning',
    `${root}build/release/main.ts`,
    ...process.argv.slice(2),
  ];
  return runProgram(findNode24(root), args, {});
});

/**
 * Whether the image is among the parts that are made.
 * @param {string[]} args
 */
function makesImage(args) {
  const at = args.findIndex((argument) => /^--only(=|$)/.test(argument));
  if (at === -1) return true;
  return `${args[at]},${args[at + 1] ?? ''}`.split(/[=,]/).includes('image');
}
