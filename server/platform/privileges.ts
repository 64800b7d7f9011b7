import { readFileSync } from 'node:fs';

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
