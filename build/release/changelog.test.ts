import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { changelogText, historyOf } from './changelog.ts';

let work: string;
const git = (...args: string[]) => {
  const who = ['-c', 'user.name=N', '-c', 'user.email=n@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...args], { cwd: work, stdio: 'pipe' });
};
const commit = (subject: string) => git('commit', '-q', '--allow-empty', '-m', subject, '-m', 'Why.');
const subjects = () => historyOf(work).commits.map((each) => each.subject);

before(() => {
  work = temporaryFolder('changelog');
  git('init', '-q');
  commit('Begin');
  commit('Add a relay');
});

test('should begin with the first commit where there is no tag', () => {
  assert.equal(historyOf(work).since, undefined);
  assert.deepEqual(subjects(), ['Add a relay', 'Begin']);
});

test('should begin after the last tag, also when the commit itself has the tag of this version', () => {
  git('tag', 'v1.0.0');
  commit('Mend the relay');
  commit('Ring twice');
  assert.deepEqual([historyOf(work).since, subjects()], ['v1.0.0', ['Ring twice', 'Mend the relay']]);
  git('tag', 'v1.1.0');
  assert.deepEqual([historyOf(work).since, subjects()], ['v1.0.0', ['Ring twice', 'Mend the relay']]);
  commit('Third');
  assert.deepEqual([historyOf(work).since, subjects()], ['v1.1.0', ['Third']]);
});

test('should say that files are in no commit', () => {
  assert.equal(historyOf(work).isChanged, false);
  writeFileSync(join(work, 'new'), '');
  assert.equal(historyOf(work).isChanged, true);
  rmSync(join(work, 'new'));
});

test('should write a line for each commit, and nothing that Markdown would take for its own', () => {
  const commits = [{ id: 'abc', subject: 'Give `a_b` to <b>[x]</b>' }];
  assert.equal(
    changelogText('1.2.3', 1_767_225_600, { since: 'v1.2.2', commits, isChanged: false }),
    '# Faceplate 1.2.3 (2026-01-01)\n\nChanges since v1.2.2.\n\n- Give \\`a\\_b\\` to \\<b\\>\\[x\\]\\</b\\> (abc)\n',
  );
  const empty = changelogText('1.2.3', 0, { since: undefined, commits: [], isChanged: true });
  assert.match(empty, /since the beginning\.\n\n\*\*Made from sources.*\*\*\n\nNothing changed\.\n$/);
});
