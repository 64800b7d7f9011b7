// `npm run panel`: installs QEMU where that is missing, then runs it under Node 24. docs/panel.md says more.
// Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages, panelPackages, panelWindowPackages } from './debianPackages.mjs';
import { ensureNpmPackages, findNode24 } from './npmPackages.mjs';
import { runProgram } from './runProgram.mjs';
import { runSetup, say } from './setupError.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  const args = process.argv.slice(2);
  const hasWindow = !args.includes('--headless') && (process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  ensureDebianPackages([...panelPackages(archOf(args)), ...(hasWindow ? panelWindowPackages : [])], say);
  await ensureNpmPackages(root, say);
  const program = ['--disable-warning=ExperimentalWarning', `${root}build/panel/main.ts`];
  return runProgram(findNode24(root), [...program, ...args], {});
});

/** The machine that is asked for; what is wrong with the arguments the command itself says. */
function archOf(args) {
  const at = args.findIndex((word) => word === '--arch' || word.startsWith('--arch='));
  if (at < 0) return 'amd64';
  return args[at] === '--arch' ? (args[at + 1] ?? '') : args[at].slice('--arch='.length);
}
