import { execFileSync } from 'node:child_process';

/** A commit of the release. */
interface Commit {
  /** Its first line. */
  readonly subject: string;
  /** Its first digits. */
  readonly id: string;
}

/** The commits since the tag before. */
export interface History {
  /** Undefined where there is no tag yet: then it is the whole history. */
  readonly since: string | undefined;
  /** The newest first, without merges. */
  readonly commits: readonly Commit[];
  /** Whether files differ from the last commit, or are in none. */
  readonly isChanged: boolean;
}

/** @throws Error where git is missing, or this is no repository */
export function historyOf(root: string): History {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  let since: string | undefined;
  try {
    // The tag of this very commit is the one that is released now.
    since = git('describe', '--tags', '--abbrev=0', 'HEAD^');
  } catch {
    since = undefined;
  }
  const range = since === undefined ? 'HEAD' : `${since}..HEAD`;
  const said = git('log', '--no-merges', '--abbrev=12', '--format=%h %s', range);
  const commits = said
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ id: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }));
  return { since, commits, isChanged: git('status', '--porcelain') !== '' };
}

/** The Markdown of a changelog: a line for each commit. @param epoch seconds since 1970 */
export function changelogText(
  version: string,
  epoch: number,
  { since, commits, isChanged }: History,
): string {
  const day = new Date(epoch * 1000).toISOString().slice(0, 10);
  const range = since === undefined ? 'Everything since the beginning.' : `Changes since ${since}.`;
  const lines = commits.map(({ id, subject }) => `- ${escaped(subject)} (${id})`);
  return [
    `# Faceplate ${version} (${day})`,
    '',
    range,
    ...(isChanged ? ['', '**Made from sources with changes that are in no commit.**'] : []),
    '',
    ...(lines.length > 0 ? lines : ['Nothing changed.']),
    '',
  ].join('\n');
}

/** What Markdown would take for its own. */
function escaped(text: string): string {
  return text.replace(/[\\`*_<>[\]]/g, '\\$&');
}
