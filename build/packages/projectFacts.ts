import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What package.json says of the project: the one place for these values. */
export interface ProjectFacts {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  /** Name and address as Debian and npm write them: `Name <name@example.org>`. */
  readonly maintainer: string;
  readonly homepage: string;
}

/** @param root folder of package.json */
export function projectFacts(root: string): ProjectFacts {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  const of = (key: string): string => {
    const value = manifest[key];
    if (typeof value !== 'string' || value === '') throw new Error(`package.json says no ${key}.`);
    return value;
  };
  return {
    version: of('version'),
    description: of('description'),
    license: of('license'),
    maintainer: of('author'),
    homepage: of('homepage'),
  };
}

/** Where the sources come from no commit, every file of a package has this time, in seconds since 1970. */
const NO_COMMIT = 1_767_225_600;

/**
 * Seconds since 1970 of the last commit, so that the same sources make the same files; SOURCE_DATE_EPOCH
 * (reproducible-builds.org) beats it.
 */
export function sourceTime(root: string, env: NodeJS.ProcessEnv = process.env): number {
  if (env.SOURCE_DATE_EPOCH) return Number(env.SOURCE_DATE_EPOCH);
  try {
    const args = ['log', '-1', '--format=%ct'];
    const said = execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number(said.trim()) || NO_COMMIT;
  } catch {
    return NO_COMMIT;
  }
}

/** SemVer 2.0.0, without build metadata: `+` has no order. */
export const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;
