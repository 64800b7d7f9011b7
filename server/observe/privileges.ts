import { readFileSync } from 'node:fs';

const SETPRIV = '/usr/bin/setpriv';
/** What a child must not inherit from a service that holds capabilities (capabilities(7)). */
const WITHOUT_CAPABILITIES = ['--inh-caps=-all', '--ambient-caps=-all'];
/** Numbers of CAP_SETGID and CAP_SETUID (linux/capability.h). */
const CAP_SETGID = 6n;
const CAP_SETUID = 7n;

/**
 * Whether this process may run programs as another user: as root, or by the two capabilities that the systemd unit of
 * the Debian package grants to an ordinary user.
 */
export function maySwitchUser(uid = process.getuid?.(), statusFile = '/proc/self/status'): boolean {
  if (uid === 0) return true;
  const held = effectiveCapabilities(statusFile);
  return [CAP_SETGID, CAP_SETUID].every((capability) => (held & (1n << capability)) !== 0n);
}

/**
 * The command that runs a program as the user, with the groups it is in beside its own (video, render, audio), which
 * Node's own way would drop, and without our capabilities. setpriv(1) becomes the program, so its process id and file
 * descriptors are kept.
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
