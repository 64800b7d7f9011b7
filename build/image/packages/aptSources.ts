import { execFileSync } from 'node:child_process';

/** Where Debian's packages come from: the archive and that of its security updates. */
export interface Mirrors {
  readonly archive: string;
  readonly security: string;
}

/** Debian's own, for machines that are no Debian. */
const DEFAULTS: Mirrors = {
  archive: 'http://deb.debian.org/debian',
  security: 'http://deb.debian.org/debian-security',
};

/** What `apt-get indextargets` is asked for, one source a line. */
export const INDEX_FORMAT = '$(ORIGIN)\t$(LABEL)\t$(COMPONENT)\t$(REPO_URI)';

/**
 * The mirrors that a machine's apt uses for Debian, by what their release files say of themselves.
 * @param targets lines of `apt-get indextargets` in INDEX_FORMAT
 */
export function mirrorsOf(targets: string): Mirrors {
  const rows = targets.split('\n').map((line) => line.split('\t'));
  const find = (label: string) =>
    rows.find(([origin, of, component]) => origin === 'Debian' && of === label && component === 'main')?.[3];
  const withoutSlash = (address: string) => address.replace(/\/+$/, '');
  return {
    archive: withoutSlash(find('Debian') ?? DEFAULTS.archive),
    security: withoutSlash(find('Debian-Security') ?? DEFAULTS.security),
  };
}

/** The mirrors that this machine's apt uses; Debian's own where it has no apt. */
export function mirrorsOfThisMachine(): Mirrors {
  try {
    return mirrorsOf(
      execFileSync('apt-get', ['indextargets', '--format', INDEX_FORMAT], { encoding: 'utf8' }),
    );
  } catch {
    return mirrorsOf('');
  }
}

/** A sources.list(5) of Debian 13 with its updates. */
export function sourcesList({ archive, security }: Mirrors): string {
  const components = 'main non-free-firmware';
  return [
    `deb ${archive} trixie ${components}`,
    `deb ${archive} trixie-updates ${components}`,
    `deb ${security} trixie-security ${components}`,
    '',
  ].join('\n');
}
