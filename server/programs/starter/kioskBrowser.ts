import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  browserEnv,
  commandLine,
  findChromium,
  withExtras,
} from '../../kiosk/chromium/process/commandLine.ts';
import { memoryProfile, readyProfileDir } from '../../kiosk/chromium/process/profile.ts';
import type { BrowserRequest, JobAnswer } from '../../platform/kioskJobs.ts';

/** Puts the socket, our standard input, where the browser expects its debugging pipe; constant, nothing is inserted. */
const ON_THE_PIPE = 'exec "$@" 3<&0 4<&0 </dev/null';

/**
 * Becomes the browser: after the answer this process is Chromium, and the connection its debugging pipe.
 * @param answer sends the result to the service
 */
export async function becomeBrowser(
  { headless, apps, debugPort, fakeMedia, loginOrigins, cookieOrigins, extras }: BrowserRequest,
  env: NodeJS.ProcessEnv,
  answer: (answer: JobAnswer) => void,
): Promise<void> {
  const binary = findChromium(env.PATH);
  if (binary === undefined) return answer({ error: 'Chromium is not installed.' });
  if (!headless && !(await hasScreen(env))) return answer({ noScreen: true });
  const place = { profileDir: join(env.HOME ?? '', 'chromium'), user: undefined, env };
  // A browser that an earlier service left behind would be used instead of this one.
  for (const folder of [place.profileDir, memoryProfile(place.profileDir, undefined, env)])
    await endUnitsWith(`--user-data-dir=${folder}`);
  const profileDir = await readyProfileDir(place, {
    loginOrigins,
    cookieOrigins,
    secureOrigins: extras.secureOrigins,
  });
  const ours = commandLine({ profileDir, headless, apps, fakeMedia, debugPort: debugPort ?? undefined });
  const flags = await withExtras(ours, extras, { binary, headless });
  // Only to spare the disk: the page is shown without it, too.
  if (env.XDG_RUNTIME_DIR)
    await keepHistogramsInMemory(profileDir, env.XDG_RUNTIME_DIR).catch(() => undefined);
  const group = await ownGroup();
  answer({ pid: process.pid, ...(group !== undefined && { group }) });
  const words = ['sh', '-c', ON_THE_PIPE, 'sh', binary, ...flags];
  process.execve!('/bin/sh', words, browserEnv(env, profileDir, undefined, extras));
}

/** Where Chromium keeps the histograms of its own work: a file in memory for each run, of which each minute changes a lot. */
const HISTOGRAMS = 'BrowserMetrics';

/**
 * Puts the histograms of the next run into a folder in memory, where they are never read: on a disk of flash memory
 * they would be written for as long as the browser runs. Chromium has no switch for it (InstantiatePersistentHistograms
 * of chrome/app/chrome_main_delegate.cc), and takes the link away again once it runs.
 * @param memory a folder of this user in memory, such as XDG_RUNTIME_DIR
 */
export async function keepHistogramsInMemory(profileDir: string, memory: string): Promise<void> {
  const folder = join(memory, 'histograms');
  const link = join(profileDir, HISTOGRAMS);
  // Both may be left of a run before, with its file of 4 MiB.
  await Promise.all([folder, link].map((path) => rm(path, { recursive: true, force: true })));
  await mkdir(folder, { mode: 0o700 });
  await symlink(folder, link);
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

/** The units of the starter, by the control groups that systemd makes for them (cgroups(7)). */
const OUR_UNIT = /\/faceplate-kiosk@[^/]+\.service$/m;
const POLL_MS = 20;
/** Longest wait for processes that were killed, in milliseconds. */
const GONE_MS = 1_500;

/**
 * The processes of the starter's unit that a process is in; none for a process outside these units.
 * @param proc where proc(5) is, for tests another folder
 */
export async function processesOfUnit(pid: number, proc = '/proc'): Promise<number[]> {
  const unit = await unitOf(String(pid), proc);
  if (unit === undefined) return [];
  const entries = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
  const units = await Promise.all(entries.map((name) => unitOf(name, proc)));
  return entries.filter((_, index) => units[index] === unit).map(Number);
}

/** Ends all processes of the unit that a process is in; resolves when they are gone. */
export async function endUnit(pid: number): Promise<void> {
  for (let waited = 0; waited < GONE_MS; waited += POLL_MS) {
    const pids = await processesOfUnit(pid);
    if (pids.length === 0) return;
    for (const each of pids) {
      try {
        process.kill(each, 'SIGKILL');
      } catch {
        // It has ended by now.
      }
    }
    await pause(POLL_MS);
  }
}

/** Ends the units in which a process has this argument, such as a browser without a service. */
export async function endUnitsWith(argument: string): Promise<void> {
  for (const name of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (Number(name) !== process.pid && words.split('\0').includes(argument)) await endUnit(Number(name));
  }
}

/**
 * The control group of the starter's unit that this process runs in, such as `/faceplate.slice/faceplate-kiosk@1.service`;
 * undefined outside such a unit, and where the kernel has no groups of version 2.
 */
export async function ownGroup(proc = '/proc'): Promise<string | undefined> {
  return /^0::(\/.+)$/m.exec((await unitOf('self', proc)) ?? '')?.[1];
}

async function unitOf(name: string, proc: string): Promise<string | undefined> {
  const text = await readFile(`${proc}/${name}/cgroup`, 'utf8').catch(() => '');
  return OUR_UNIT.test(text) ? text : undefined;
}
