// Where a test run has its files, and what it left behind. Node's own modules only: it runs on the machine's own Node.
import { readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** File system in memory that Linux mounts for all users (shm_overview(7)). */
const MEMORY = '/dev/shm';
/** What a run needs there, in bytes: browser profiles, data folders, compiled sources. Browsers themselves need as much. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/** Environment variable that marks every process of a run; not FACEPLATE_..., which are settings. */
export const RUN_VARIABLE = 'TEST_RUN_OF_FACEPLATE';
/** Environment variable: the file that gets a line for each folder of a test (`server/testing/temporaryFolder.ts`). */
export const MAKERS_VARIABLE = 'TEST_FOLDERS_OF_FACEPLATE';

/**
 * Where a run makes its folder: in memory where there is enough of it, as tests wait for the disk more than for anything
 * else (each setting is synced). Else, and where TMPDIR names a place, the usual place.
 * @param {{ mounts?: string, freeBytes?: number, env?: NodeJS.ProcessEnv }} [machine] `mounts` as in proc_pid_mounts(5)
 */
export function placeOfRun({
  mounts = readOr('/proc/mounts'),
  freeBytes = freemem(),
  env = process.env,
} = {}) {
  const options = new RegExp(`^\\S+ ${MEMORY} tmpfs (\\S+)`, 'm').exec(mounts)?.[1]?.split(',');
  if (env.TMPDIR || !options?.includes('rw') || options.includes('noexec')) return tmpdir();
  if (freeBytes < 2 * NEEDED_BYTES || placeIn(MEMORY) < NEEDED_BYTES) return tmpdir();
  return MEMORY;
}

function placeIn(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Processes that a run started and that are still alive. A listening port always belongs to one of them. A process is
 * the run's own when it has the run's mark in its environment, names the run's temporary folder (the browser gets a
 * separate environment, but its profile is there), or is in a session of the run.
 * @param {{ mark: string, folder: string, sessions: ReadonlySet<number> }} run
 * @returns {{ pid: number, command: string }[]}
 */
export function leftProcesses({ mark, folder, sessions }) {
  const left = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = readOr(`/proc/${pid}/stat`);
    // The name in brackets may contain blanks and brackets; the next fields are state, ppid, pgrp, session.
    const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === undefined || state === '' || state === 'Z') continue;
    const command = readOr(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    const own =
      sessions.has(Number(session)) ||
      command.includes(folder) ||
      linkOr(`/proc/${pid}/cwd`).startsWith(folder) ||
      readOr(`/proc/${pid}/environ`).split('\0').includes(`${RUN_VARIABLE}=${mark}`);
    if (own) left.push({ pid, command: command === '' ? `process ${pid}` : command });
  }
  return left;
}

/**
 * Files left in the run's temporary folder, by their path below it, without those of the tools themselves.
 * @param {string} folder
 * @param {ReadonlySet<string>} tools names of entries that the test tools keep there
 */
export function leftFiles(folder, tools) {
  return readdirSync(folder)
    .filter((name) => !tools.has(name))
    .map((name) => join(folder, name));
}

/**
 * @param {string} path the file that `MAKERS_VARIABLE` names
 * @returns {(folder: string) => string} the lines of the tests that made a folder, in brackets; empty where none says so
 */
export function makersOf(path) {
  const lines = readOr(path).split('\n');
  return (folder) => {
    const line = lines.find((each) => each.startsWith(`${folder} `));
    return line === undefined ? '' : ` (made by ${line.slice(folder.length + 1)})`;
  };
}

function readOr(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended in between, or belongs to another user.
    return '';
  }
}

function linkOr(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
