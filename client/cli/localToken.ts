import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Terminal } from './terminal.ts';

/** The data folder of a panel from the Debian package. */
const PACKAGE_DATA = '/var/lib/faceplate';
/** A listening socket, in the tables of the kernel (proc_net_tcp.txt). */
const LISTENS = '0A';

/**
 * The token of the panel on this machine, where its file is readable for this user alone. It is given only to the panel
 * that has this data folder open: another program may have the port.
 * @param address origin of the panel
 * @returns undefined where there is none to give
 */
export function localToken(address: string, env: Terminal['env']): string | undefined {
  const { protocol, hostname, port } = new URL(address);
  const isHere = /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname);
  if (!isHere || protocol !== 'http:') return undefined;
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local/state');
  for (const folder of [env.FACEPLATE_DATA_DIR || join(state, 'faceplate'), PACKAGE_DATA]) {
    const file = join(folder, 'token');
    try {
      // A regular file that only its owner may open.
      if ((lstatSync(file).mode & 0o170077) !== 0o100000) continue;
      const token = readFileSync(file, 'utf8').trim();
      if (token !== '' && hasPort(panelOf(folder), Number(port || 80))) return token;
    } catch {
      // It is not there, of a user who does not share it, or its panel does not run.
    }
  }
  return undefined;
}

/** The process that has the data folder open, as it wrote it there. @throws when it is gone */
function panelOf(folder: string): number {
  const [pid, started] = readFileSync(join(folder, 'running'), 'utf8').trim().split(' ');
  const stat = readFileSync(`/proc/${Number(pid)}/stat`, 'utf8');
  // The name in brackets may itself hold blanks and brackets (proc_pid_stat(5)).
  if (stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] !== started) throw new Error('another process');
  return Number(pid);
}

/** Whether a process, and no other, listens on a TCP port of this machine. @throws when its files cannot be read */
function hasPort(pid: number, port: number): boolean {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    readFileSync(table, 'utf8').trim().split('\n').slice(1),
  );
  const sockets = rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === LISTENS && Number.parseInt(local.split(':').at(-1)!, 16) === port ? [inode] : [];
  });
  const links = new Set(
    readdirSync(`/proc/${pid}/fd`).map((name) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`);
      } catch {
        // Closed meanwhile.
        return '';
      }
    }),
  );
  return sockets.length > 0 && sockets.every((inode) => links.has(`socket:[${inode}]`));
}
