import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

interface Lockfile {
  packages: Record<string, LockEntry>;
}

/** Names of binary packages end in their platform: `-linux-x64-musl`. */
const PLATFORM = /[-/]([a-z0-9]+)-(arm|arm64|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)(?:-(musl|gnu))?$/;

interface MissingEntry {
  readonly key: string;
  readonly version: string;
  readonly parent: string;
}

/**
 * Optional packages that some package names but that have no entry in the lock file. A registry that lacks the
 * binaries of foreign platforms makes npm leave them out, and `npm ci` then refuses the lock file everywhere.
 */
export function missingEntries(lock: Lockfile): MissingEntry[] {
  const missing: MissingEntry[] = [];
  for (const [parent, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isExact(version) && !isResolved(lock, parent, name)) {
        missing.push({ key: `node_modules/${name}`, version, parent });
      }
    }
  }
  return missing;
}

/**
 * Adds the missing entries, with the platform from their names. They carry no integrity: their tarballs are not known
 * here.
 */
export function addMissingEntries(lock: Lockfile): Lockfile {
  const packages = { ...lock.packages };
  for (const { key, version, parent } of missingEntries(lock)) {
    const [, os, cpu, libc] = PLATFORM.exec(key) ?? [];
    packages[key] = {
      version,
      ...(cpu && { cpu: [cpu] }),
      ...(packages[parent]?.dev && { dev: true }),
      ...(libc && { libc: [libc === 'gnu' ? 'glibc' : libc] }),
      optional: true,
      ...(os && { os: [os] }),
    };
  }
  // npm keeps the entries in this order; its next write then changes nothing.
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lock, packages: Object.fromEntries(sorted) };
}

/** Problems of the lock file below `root`, as sentences. */
export function checkLockfile(root: string): string[] {
  return missingEntries(readLock(root)).map(
    ({ key, version }) =>
      `package-lock.json: no entry for ${key} ${version}, so npm ci fails. Run: node build/check/packages/lockfile.ts --fix`,
  );
}

function readLock(root: string): Lockfile {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile;
}

function isExact(version: string): boolean {
  return /^\d/.test(version);
}

/** Node's own search: beside the parent, then outwards. */
function isResolved(lock: Lockfile, parent: string, name: string): boolean {
  for (let at = parent; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (lock.packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}

if (import.meta.main && process.argv.includes('--fix')) {
  const root = join(import.meta.dirname, '../../..');
  const fixed = addMissingEntries(readLock(root));
  writeFileSync(join(root, 'package-lock.json'), `${JSON.stringify(fixed, null, 2)}\n`);
}
