import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { readGuide, type Step } from '../../server/testing/addingGuide.ts';
import { ScratchProject } from '../../server/testing/scratchProject.ts';

const root = join(import.meta.dirname, '../..');
const guides = [
  { title: 'Add a part', named: /buzzer/i },
  { title: 'Add a command', named: /flip/i },
  { title: 'Add a setting', named: /terminal\.deskOnly/ },
].map(({ title, named }) => ({ title, named, ...readGuide(join(root, 'docs/adding.md'), title) }));

/** What a unit test finds and the check does not: the sentences of a setting, and a missing test. */
const NOT_CHECKED = /^server\/pages\/settings\/texts\/|^server\/services\/led\/service\.test\.ts$/;

/** A file, or one change of a file. A missing import is always noticed: changes that only add imports are skipped. */
function piecesOf(steps: readonly Step[]): Step[] {
  return steps
    .filter(({ kind, path }) => kind !== 'generated' && !NOT_CHECKED.test(path))
    .flatMap((step) =>
      step.kind === 'new' ? [step] : step.hunks.map((hunk) => ({ ...step, hunks: [hunk] })),
    )
    .filter(({ kind, hunks }) => kind === 'new' || !hunks[0]!.after.every((line) => /^import /.test(line)));
}

/** The steps without one piece. */
function without(piece: Step, steps: readonly Step[]): Step[] {
  return steps
    .filter((step) => step !== piece)
    .map((step) => ({ ...step, hunks: step.hunks.filter((hunk) => hunk !== piece.hunks[0]) }));
}

/** What `npm run check:fix` and `npm run check` print about the code. */
async function check(copy: ScratchProject): Promise<string> {
  const made = await copy.node('build/generate.ts');
  const parts = ['types tsconfig', 'import', 'generated', 'words', 'unread'];
  const { output } = await copy.node('build/check/all.ts', ...parts);
  return `${made.output}${output}`;
}

test.describe('what is added by docs/adding.md', () => {
  let copy: ScratchProject;
  test.beforeAll(async () => {
    copy = await ScratchProject.create();
  });
  test.afterAll(() => copy[Symbol.asyncDispose]());
  test.afterEach(async () => {
    for (const { steps } of guides) await copy.restore(steps);
  });

  for (const { title, named, steps } of guides) {
    piecesOf(steps).forEach((piece, index) => {
      test(`${title}: the check should name what lacks piece ${index + 1}, of ${piece.path}`, async () => {
        await copy.follow(without(piece, steps));
        const said = await check(copy);
        expect(said, 'something failed').toContain('FAILED');
        expect(said.slice(said.indexOf('---')), 'it is named').toMatch(named);
      });
    });

    test(`${title}: the check should name each description that was not regenerated`, async () => {
      await copy.follow(steps);
      const { output } = await copy.node('build/check/all.ts', 'generated');
      for (const { path } of steps.filter(({ kind }) => kind === 'generated'))
        expect(output).toContain(`${path} is not what the sources say; run: npm run check:fix`);
    });
  }

  test('Add a part: the check should name a command that nobody may call', async () => {
    await copy.follow(guides[0]!.steps);
    const contract = 'server/contract/buzzer.ts';
    const text = await copy.read(contract);
    await copy.write(contract, text.replace(/^ *access: .*\n/m, ''));
    expect(await check(copy)).toContain('buzzer.play has a path, but its access names no HTTP caller.');
    await copy.write(contract, text.replace(", page: 'allowed'", ''));
    expect(await check(copy)).toContain(
      'buzzer.play has a name in the page, but its access does not name the page.',
    );
  });

  test('Add a setting: the tests of the texts should name words that are missing', async () => {
    const { steps } = guides[2]!;
    const file = 'server/config/settingWords.ts';
    await copy.follow(steps.filter(({ path }) => path !== file));
    const { output } = await copy.node('--test', 'server/pages/texts.test.ts');
    expect(output).toContain(`to its row in ${file}`);
    expect(output).toContain(`has no name: add its row to ${file}`);
  });
});
