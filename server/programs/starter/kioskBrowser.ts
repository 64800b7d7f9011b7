import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import {
  browserEnv,
  commandLine,
  findChromium,
  withExtras,
} from '../../kiosk/chromium/process/commandLine.ts';
import {
  dropLockOfOtherName,
  keepHistogramsInMemory,
  prepareProfileDir,
  writePreferences,
} from '../../kiosk/chromium/process/profile.ts';
import type { BrowserRequest, JobAnswer } from '../../platform/kioskJobs.ts';
import { endUnitsWith, ownGroup } from './unitProcesses.ts';

/** Puts the socket, our standard input, where the browser expects its debugging pipe; constant, nothing is inserted. */
const ON_THE_PIPE = 'exec "$@" 3<&0 4<&0 </dev/null';

/**
 * Becomes the browser: after the answer this process is Chromium, and the connection its debugging pipe.
 * @param answer sends the result to the service
 */
export async function becomeBrowser(
  { headless, apps, debugPort, fakeMedia, loginOrigins, extras }: BrowserRequest,
  env: NodeJS.ProcessEnv,
  answer: (answer: JobAnswer) => void,
): Promise<void> {
  const binary = findChromium(env.PATH);
  if (binary === undefined) return answer({ error: 'Chromium is not installed.' });
  if (!headless && !(await hasScreen(env))) return answer({ noScreen: true });
  const profileDir = join(env.HOME ?? '', 'chromium');
  await prepareProfileDir(profileDir, undefined);
  const ours = commandLine({ profileDir, headless, apps, fakeMedia, debugPort: debugPort ?? undefined });
  const flags = await withExtras(ours, extras, { binary, headless });
  // A browser that an earlier service left behind would be used instead of this one.
  await endUnitsWith(`--user-data-dir=${profileDir}`);
  await dropLockOfOtherName(profileDir, undefined);
  await writePreferences(profileDir, undefined, { loginOrigins, secureOrigins: extras.secureOrigins });
  // Only to spare the disk: the page is shown without it, too.
  if (env.XDG_RUNTIME_DIR)
    await keepHistogramsInMemory(profileDir, env.XDG_RUNTIME_DIR).catch(() => undefined);
  const group = await ownGroup();
  answer({ pid: process.pid, ...(group !== undefined && { group }) });
  const words = ['sh', '-c', ON_THE_PIPE, 'sh', binary, ...flags];
  process.execve!('/bin/sh', words, browserEnv(env, profileDir, undefined));
}

/** Whether the Wayland compositor answers; if none is named, the browser finds out itself. */
async function hasScreen({ XDG_RUNTIME_DIR, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): Promise<boolean> {
  if (!XDG_RUNTIME_DIR || !WAYLAND_DISPLAY) return true;
  // It may be a whole path.
  const socket = connect(resolve(XDG_RUNTIME_DIR, WAYLAND_DISPLAY));
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
