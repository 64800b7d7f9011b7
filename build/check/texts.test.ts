import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkDocsWords, checkForbiddenTexts, checkLinks } from './texts.ts';

const root = join(import.meta.dirname, '../..');

describe('checkLinks', () => {
  it('should accept links to files that exist and links to other hosts', () => {
    const text = 'See [this](../package.json#scripts), [here](#below) and [there](https://example.org/x).';
    assert.deepEqual(checkLinks(new Map([['docs/page.md', text]]), root), []);
  });

  it('should refuse a link to a file that does not exist', () => {
    const problems = checkLinks(new Map([['docs/page.md', 'See [this](gone.md).']]), root);
    assert.deepEqual(problems, ['docs/page.md: the link to gone.md leads nowhere. Fix or remove it.']);
  });
});

describe('checkDocsWords', () => {
  const long = `${'word '.repeat(25)}end.`;
  const check = (text: string) => checkDocsWords(new Map([['docs/page.md', text]]));

  it('should name the line of a worn word and of a long sentence', () => {
    const problems = check(`# A\n\nShort. It stands here.\n\n- one\n- ${long}\n`);
    assert.deepEqual(
      problems.map((problem) => problem.split(' in ')[0]),
      ['docs/page.md:3: stands', 'docs/page.md:6: 26 words'],
    );
    assert.deepEqual(check(`${'word '.repeat(19)}end.`), []);
  });

  it('should leave out code, tables and what is generated', () => {
    const fence = '```';
    assert.deepEqual(
      check(
        `Run \`nobody ${long}\`.\n\n${fence}sh\n# shall ${long}\n${fence}\n\n| told | ${long} |\n\n<!-- generated: a -->\nkept ${long}\n<!-- end of a -->\n`,
      ),
      [],
    );
    assert.deepEqual(checkDocsWords(new Map([['server/a.md', 'It shall.']])), []);
  });
});

describe('checkForbiddenTexts', () => {
  it('should refuse paths of this machine, with the line', () => {
    for (const path of [`${root}/server`, `${homedir()}/notes`, ['', 'work', 'main'].join('/')]) {
      const [problem] = checkForbiddenTexts(new Map([['a.ts', `one\n'${path}'`]]), root);
      assert.match(problem!, /^a\.ts:2: .* is a path of one machine/);
    }
  });

  it('should refuse registry hosts, also in the lock file', () => {
    for (const text of [['https://registry', 'example', 'org/x'].join('.'), '  "resolved": "https://x"']) {
      const [problem] = checkForbiddenTexts(new Map([['a.json', text]]), root);
      assert.match(problem!, /is the host of a package registry/);
    }
  });

  it('should refuse what a merge left behind', () => {
    const [problem] = checkForbiddenTexts(new Map([['a.md', `one\n${'<'.repeat(7)} HEAD\n`]]), root);
    assert.match(problem!, /^a\.md:2: .* is the mark of a conflict that was not resolved/);
  });

  it('should accept relative paths and ordinary words', () => {
    const text = 'see ./work/main and network/root/x, the registry of commands (registry.ts)';
    assert.deepEqual(checkForbiddenTexts(new Map([['a.md', text]]), root), []);
  });
});
