// Whether Electron shows the page, or the system's Chromium.
// Runs after the npm packages are installed, but before anything is bundled: Node's own modules only.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError } from '../machine/setupError.mjs';
import { electronVersion, fetchElectron, findElectron } from './electronBinary.mjs';

/** The oldest that runs Faceplate. */
const OLDEST = 33;
/** Longest time for the try of a user namespace, in milliseconds; it takes a few. */
const TRY_MS = 5_000;

/**
 * Electron's program if it is to show the page. `auto` takes it where it exists and may run, downloads nothing, and says
 * in one line which it is and why; `electron` fetches it.
 * @param {{ host: string, headless: string, root: string, node: string, say: (line: string) => void,
 *   env?: NodeJS.ProcessEnv, uid?: number }} options `host` and `headless`: the settings; `node`: a Node 24
 * @returns {Promise<string | undefined>}
 * @throws SetupError when Electron is named and cannot run
 */
export async function chooseElectron({
  host,
  headless,
  root,
  node,
  say,
  env = process.env,
  uid = process.getuid?.(),
}) {
  if (host !== 'auto' && host !== 'electron') return undefined;
  const program = findElectron(root, env);
  if (host === 'electron') {
    // Its own switches can make it do without a display.
    const why = whyNotUser(uid) ?? whyTooOld(program) ?? whyNoSandbox(program, env);
    if (why !== undefined)
      throw new SetupError(`Electron cannot show the page: ${why}. Use --host chromium, or mend this.`);
    return fetchElectron({ root, node, say, env });
  }
  const why =
    whyNotUser(uid) ??
    whyMissing(program, env) ??
    whyTooOld(program) ??
    whyNoScreen(headless, env) ??
    whyNoSandbox(program, env);
  say(
    why === undefined
      ? `host=auto: Electron ${electronVersion(program)} shows the page: its binary is here and may run.`
      : `host=auto: the system's Chromium shows the page, not Electron: ${why}.`,
  );
  return why === undefined ? program : undefined;
}

function whyNotUser(uid) {
  return uid === 0 ? 'it does not run as root' : undefined;
}

function whyMissing(program, env) {
  if (program !== undefined)
    return electronVersion(program) === undefined ? `no file tells the version of ${program}` : undefined;
  return env.ELECTRON_OVERRIDE_DIST_PATH
    ? `there is no program "electron" in ${env.ELECTRON_OVERRIDE_DIST_PATH}`
    : 'there is no binary of it here (--host electron fetches one)';
}

function whyTooOld(program) {
  const version = program === undefined ? undefined : electronVersion(program);
  return version !== undefined && Number.parseInt(version, 10) < OLDEST
    ? `version ${version} is too old, ${OLDEST} is the oldest that runs it`
    : undefined;
}

function whyNoScreen(headless, env) {
  if (headless === 'true') return 'kiosk.headless is on';
  return env.DISPLAY || env.WAYLAND_DISPLAY ? undefined : 'there is no display';
}

/** By the rule of the packages (build/linux/electron/launcher): only a try tells, as containers forbid it in other ways. */
function whyNoSandbox(program, env) {
  if (program !== undefined && !env.INVOCATION_ID && isHelper(join(dirname(program), 'chrome-sandbox')))
    return undefined;
  const { status } = spawnSync('unshare', ['--user', '--map-root-user', 'true'], {
    stdio: 'ignore',
    timeout: TRY_MS,
    env,
  });
  return status === 0 ? undefined : 'this machine forbids user namespaces to programs without privileges';
}

/** The sandbox's helper does without user namespaces, where it belongs to root and has the set-user-id bit. */
function isHelper(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.uid === 0 && (found.mode & 0o4000) !== 0;
}
