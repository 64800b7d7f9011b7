// `npm run test:electron [-- suite|e2e|packed ...]`: the tests of the Electron host, in a real Electron on a virtual screen.
// It sets the machine up where that is still needed and gets the Electron (testElectron.mjs); then test.mjs runs the
// stages. As root all of that runs as a plain user, on a copy. The last line is that of test.mjs; the exit status is 2
// where nothing ran.
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { getTestElectron } from './electron/testElectron.mjs';
import { ensureDebianPackages, fullTestPackages, kioskPackages } from './machine/debianPackages.mjs';
import { ensureNpmPackages, findNode24 } from './machine/npmPackages.mjs';
import { onSignal } from './machine/onSignal.mjs';
import { copyCheckout, plainUser, withoutSession } from './machine/plainUser.mjs';
import { runProgram } from './machine/runProgram.mjs';
import { environmentFor, runSetup, SetupError, say } from './machine/setupError.mjs';
import { openVirtualScreen } from './machine/virtualScreen.mjs';
import { leftProcesses } from './tests/leftovers.mjs';

const NOTHING_RAN = 2;
const INTERRUPTED = 130;
/** How long processes of the run may take to end after it, in milliseconds. */
const GRACE_MS = 3_000;
/** The stages of each part. */
const PARTS = {
  suite: ['electron-suite'],
  e2e: ['electron-e2e', 'electron-screen'],
  packed: ['electron-packed'],
};

const root = fileURLToPath(new URL('../../', import.meta.url));
const modules = join(root, 'node_modules/');
const stop = new AbortController();

await runSetup(async () => {
  try {
    return await main(process.argv.slice(2));
  } catch (error) {
    if (stop.signal.aborted) return INTERRUPTED;
    if (!(error instanceof SetupError)) throw error;
    say(`\n${error.message}`);
    process.stdout.write('0 passed, 0 failed, 0 skipped\n');
    return NOTHING_RAN;
  }
});

async function main(names) {
  const parts = Object.keys(PARTS);
  const unknown = names.filter((name) => !parts.includes(name));
  if (unknown.length > 0)
    throw new SetupError(`There is no part ${unknown.join(', ')}. Parts: ${parts.join(', ')}.`);
  const stages = parts
    .filter((name) => names.length === 0 || names.includes(name))
    .flatMap((name) => PARTS[name]);
  ensureDebianPackages([...kioskPackages, ...fullTestPackages], say);
  await ensureNpmPackages(root, say);
  // What was made so far is removed on the way out.
  const listening = onSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], () => stop.abort());
  try {
    const electron = await getTestElectron({ root, node: findNode24(root), say, signal: stop.signal });
    return await runStages(stages, electron);
  } finally {
    listening();
  }
}

/** Runs the stages, as root in the place of a plain user, with a folder of its own that is removed at the end. */
async function runStages(stages, electron) {
  // Short: the sockets of a browser are made far below it, and the path of a socket has at most 107 bytes (unix(7)).
  const folder = mkdtempSync(join(tmpdir(), 'fp-'));
  try {
    const { project, user, env } =
      process.getuid?.() === 0 ? prepareForRoot(folder, electron) : { project: root };
    const own = user ?? { uid: process.getuid(), gid: process.getgid() };
    stop.signal.throwIfAborted();
    const screen = await openVirtualScreen(user);
    try {
      const args = [join(project, 'build/setup/test.mjs'), ...stages];
      return await runProgram(findNode24(project), args, {
        ...user,
        cwd: project,
        env: {
          ...withoutSession(environmentFor(project)),
          ...env,
          ...electronVariables(electron, project),
          DISPLAY: screen.display,
          // Without one, PulseAudio's library makes one among the temporary files, and leaves it there.
          XDG_RUNTIME_DIR: makeFolder(join(folder, 'run'), own),
        },
      });
    } finally {
      await screen.close();
    }
  } finally {
    await endLeft(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** All of a plain user's run is in the folder. */
function prepareForRoot(folder, { prepared }) {
  const { name, ...user } = plainUser();
  const isOwn = prepared.startsWith(modules);
  if (!isOwn && spawnSync('test', ['-x', join(prepared, 'electron')], { ...user, cwd: '/' }).status !== 0)
    throw new SetupError(
      `Electron does not run as root, and the user ${name}, who takes its place, may not start the one in ${prepared}.`,
    );
  say(`Electron does not run as root: copying the checkout for the user ${name}, to ${folder} ...`);
  chownSync(folder, user.uid, user.gid);
  const home = makeFolder(join(folder, 'home'), user);
  const project = join(folder, 'project');
  copyCheckout(root, project, user);
  return { project, user, env: { HOME: home, USER: name, LOGNAME: name, TMPDIR: folder } };
}

function makeFolder(path, { uid, gid }) {
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, uid, gid);
  return path;
}

/** Names both folders to the tests; one among the npm packages is that of the copy. */
function electronVariables({ prepared, plain = '' }, project) {
  const inCopy = (folder) => (folder.startsWith(modules) ? join(project, relative(root, folder)) : folder);
  return { ELECTRON_OVERRIDE_DIST_PATH: inCopy(prepared), ELECTRON_PLAIN_DIST_PATH: inCopy(plain) };
}

/** test.mjs finds and counts what its stages left. This ends what it could not end itself. */
async function endLeft(folder) {
  const left = () => leftProcesses({ mark: '', folder, sessions: new Set() });
  for (const end = Date.now() + GRACE_MS; left().length > 0 && Date.now() < end; ) await sleep(100);
  for (const { pid, command } of left()) {
    say(`Left behind: process ${pid}: ${command.slice(0, 200)}`);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended in between.
    }
  }
}
