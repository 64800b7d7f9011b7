import { readFileSync, statSync } from 'node:fs';

const SETPRIV = '/usr/bin/setpriv';
/** What a child must not inherit from a service with capabilities (capabilities(7)). */
const WITHOUT_CAPABILITIES = ['--inh-caps=-all', '--ambient-caps=-all'];
/** Numbers of CAP_SETGID and CAP_SETUID (linux/capability.h). */
const CAP_SETGID = 6n;
const CAP_SETUID = 7n;

/**
 * Whether this process may run programs as another user: as root, or with two capabilities that an administrator's own
 * unit grants to an ordinary user. The Debian package grants none (kioskJobs.ts).
 */
export function maySwitchUser(uid = process.getuid?.(), statusFile = '/proc/self/status'): boolean {
  if (uid === 0) return true;
  const held = effectiveCapabilities(statusFile);
  return [CAP_SETGID, CAP_SETUID].every((capability) => (held & (1n << capability)) !== 0n);
}

/**
 * The command that runs a program as the user, without our capabilities, but with the user's extra groups (video,
 * render, audio), which Node's own way would drop. setpriv(1) becomes the program, so its process id and file
 * descriptors stay the same.
 */
export function asUser(
  user: { readonly uid: number; readonly gid: number },
  program: string,
  args: readonly string[],
): string[] {
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups'];
  return [SETPRIV, ...identity, ...WITHOUT_CAPABILITIES, '--', program, ...args];
}

/** The command that runs a program as ourselves, without the capabilities of a service that is not root. */
export function withoutCapabilities(program: string, args: readonly string[]): string[] {
  if (process.getuid?.() === 0 || effectiveCapabilities('/proc/self/status') === 0n)
    return [program, ...args];
  return [SETPRIV, ...WITHOUT_CAPABILITIES, '--', program, ...args];
}

function effectiveCapabilities(statusFile: string): bigint {
  const digits = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync(statusFile, 'utf8'))?.[1];
  return BigInt(`0x${digits ?? '0'}`);
}

/** The unprivileged user that the browser runs as when the service may switch users. */
export interface KioskUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** The user's own home folder; undefined when it has none (`nobody`): then the profile folder is its home. */
  readonly home: string | undefined;
}

/**
 * Looks up the setting `kiosk.user`; when that user does not exist, `nobody`.
 * @throws Error when neither exists, or the user is root.
 */
export function kioskUser(name: string, passwdFile = '/etc/passwd'): KioskUser {
  const lines = readFileSync(passwdFile, 'utf8').split('\n');
  const line = [name, 'nobody']
    .map((wanted) => lines.find((entry) => entry.startsWith(`${wanted}:`)))
    .find((entry) => entry !== undefined);
  if (line === undefined)
    throw new Error(`There is neither a user "${name}" nor "nobody" to run the browser as.`);
  // passwd(5): name:password:UID:GID:GECOS:directory:shell
  const fields = line.split(':');
  const uid = Number(fields[2]);
  const gid = Number(fields[3]);
  if (!Number.isInteger(uid) || !Number.isInteger(gid) || uid === 0)
    throw new Error(`The browser cannot run as "${fields[0]}": name an unprivileged user in kiosk.user.`);
  return { name: fields[0]!, uid, gid, home: isOwnFolder(fields[5], uid) ? fields[5] : undefined };
}

function isOwnFolder(folder: string | undefined, uid: number): boolean {
  if (!folder?.startsWith('/')) return false;
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid;
}
