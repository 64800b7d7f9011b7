// `node build/setup/run.mjs <command> [argument ...]`, as the scripts of package.json have it: installs what the command needs
// where that is missing, then runs it under Node 24.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { fileURLToPath } from 'node:url';
import {
  ensureDebianPackages,
  fullTestPackages,
  imagePackages,
  kioskPackages,
  panelPackages,
  panelTestPackages,
  panelWindowPackages,
  soakPackages,
} from './machine/debianPackages.mjs';
import { ensureNpmPackages, findNode24 } from './machine/npmPackages.mjs';
import { runProgram } from './machine/runProgram.mjs';
import { environmentFor, runSetup, SetupError, say } from './machine/setupError.mjs';

/**
 * @typedef {object} Command
 * @property {string} program
 * @property {boolean} [ownPath] whether its programs find `node` and the packages' programs first
 * @property {(args: string[]) => import('./machine/debianPackages.mjs').DebianPackage[]} [packages] Debian packages that it needs
 * @property {(args: string[]) => boolean} [withPages] whether it needs our own pages, bundled
 */

const isRoot = process.getuid?.() === 0;
/** A panel on the network brings its own browser, cameras and broker. */
const isDesk = (args) => !args.some((argument) => /^--panel(=|$)/.test(argument));

/** @type {Record<string, Command>} */
const commands = {
  bench: {
    program: 'build/bench/all.ts',
    ownPath: true,
    // The virtual panel runs only where it is named.
    packages: (args) => [
      ...kioskPackages,
      ...fullTestPackages,
      ...(args.includes('panel') ? panelTestPackages : []),
    ],
  },
  docs: { program: 'build/docs/main.ts', ownPath: true },
  image: {
    program: 'build/image/main.ts',
    // Without root the command itself says what is wrong, before anything is installed.
    packages: () => (isRoot ? imagePackages : []),
  },
  panel: {
    program: 'build/panel/main.ts',
    packages: (args) => [...panelPackages(archOf(args)), ...(hasWindow(args) ? panelWindowPackages : [])],
  },
  // What it prints may be a profile; words of the set-up go to standard error anyway.
  probe: { program: 'server/programs/probe/main.ts', ownPath: true },
  release: {
    program: 'build/release/main.ts',
    packages: (args) => (makesImage(args) && isRoot ? imagePackages : []),
  },
  screenshot: {
    program: 'build/pictures/screenshot.ts',
    ownPath: true,
    // Any program named `convert` is not enough here: ImageMagick's own makes the pictures small.
    packages: () => [
      ...kioskPackages,
      ...fullTestPackages,
      { name: 'imagemagick', why: 'makes the pictures small' },
    ],
    withPages: () => true,
  },
  soak: {
    program: 'build/soak/main.ts',
    ownPath: true,
    packages: (args) => (isDesk(args) ? [...kioskPackages, ...soakPackages] : []),
    withPages: isDesk,
  },
};

const root = fileURLToPath(new URL('../../', import.meta.url));

await runSetup(async () => {
  const [name = '', ...args] = process.argv.slice(2);
  if (!Object.hasOwn(commands, name))
    throw new SetupError(`There is no command "${name}". Commands: ${Object.keys(commands).join(', ')}.`);
  const { program, ownPath = false, packages, withPages } = commands[name];
  ensureDebianPackages(packages?.(args) ?? [], say);
  await ensureNpmPackages(root, say);
  const options = ownPath ? { env: environmentFor(root) } : {};
  const run = (script, ...rest) =>
    runProgram(
      findNode24(root),
      ['--disable-warning=ExperimentalWarning', `${root}${script}`, ...rest],
      options,
    );
  const made = withPages?.(args) ? await run('build/bundle/manage.ts') : 0;
  return made === 0 ? run(program, ...args) : made;
});

/** The machine that is asked for; what is wrong with the arguments the command itself says. */
function archOf(args) {
  const at = args.findIndex((word) => word === '--arch' || word.startsWith('--arch='));
  if (at < 0) return 'amd64';
  return args[at] === '--arch' ? (args[at + 1] ?? '') : args[at].slice('--arch='.length);
}

function hasWindow(args) {
  return !args.includes('--headless') && Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Whether the image is among the parts that are made. */
function makesImage(args) {
  const at = args.findIndex((argument) => /^--only(=|$)/.test(argument));
  if (at === -1) return true;
  return `${args[at]},${args[at + 1] ?? ''}`.split(/[=,]/).includes('image');
}
