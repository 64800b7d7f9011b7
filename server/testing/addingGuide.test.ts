import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { applyHunk, readGuide } from './addingGuide.ts';

describe('the reader of docs/adding.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/adding.md'), 'utf8');
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'faceplate-guide-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  function partAfter(change: (text: string) => string) {
    const file = join(folder, 'adding.md');
    writeFileSync(file, change(text));
    return readGuide(file, 'Add a part');
  }

  it('should read which files are new, changed and generated', () => {
    const { steps } = partAfter((same) => same);
    const kindOf = (path: string) => steps.find((step) => step.path === path)?.kind;
    assert.equal(kindOf('server/contract/buzzer.ts'), 'new');
    assert.equal(kindOf('server/contract/commands.ts'), 'edited');
    assert.equal(kindOf('docs/openapi.json'), 'generated');
    const commands = steps.find(({ path }) => path === 'server/contract/commands.ts');
    assert.deepEqual(commands?.hunks[1], {
      before: ['  ...ledCommands,'],
      after: ['  ...ledCommands,', '  ...buzzerCommands,'],
    });
  });

  it('should refuse a list without a file that the example changes, and an example without a listed file', () => {
    const refusal = /"Add a part" lists\n[\s\S]*and its example changes\n/;
    assert.throws(() => partAfter((all) => all.replace(/^10\. `server\/parts\.ts`.*\n/m, '')), refusal);
    assert.throws(() => partAfter((all) => all.replace('#### `server/parts/start.ts`', '')), refusal);
    assert.throws(() => partAfter((all) => all.replace('## Add a part\n', '## Add parts\n')), refusal);
  });

  it('should change lines that a file contains once, and refuse others', () => {
    const hunk = { before: ['b'], after: ['b', 'c'] };
    assert.equal(applyHunk('file', 'a\nb\nd\n', hunk), 'a\nb\nc\nd\n');
    assert.throws(() => applyHunk('file', 'a\n', hunk), /lines of file, and they stand there 0 times/);
    assert.throws(() => applyHunk('file', 'b\na\nb\n', hunk), /stand there 2 times/);
  });
});
