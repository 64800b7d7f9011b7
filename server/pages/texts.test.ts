import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { settingDeclarations } from '../config/settings.ts';
import { settingWords } from '../config/settingWords.ts';
import { words } from './manage/texts/words.generated.ts';

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

describe('the texts of the app', () => {
  it('should say of every setting what it is for, in every language', () => {
    for (const [key, { description }] of Object.entries(settingDeclarations)) {
      assert.match(description, /\.$/, key);
      for (const [language, name] of [
        ['de', 'Deutsch'],
        ['es', 'Español'],
      ] as const) {
        const text = settingWords[key]?.[language];
        assert.ok(
          text !== undefined,
          `The setting ${key} has no ${name} text: add a sentence that says "${description}" to its row in server/config/settingWords.ts.`,
        );
        assert.match(text, /[^.]\.$/, `The ${name} text of ${key} must be a sentence with a full stop.`);
        assert.notEqual(text, description, `The ${name} text of ${key} is the English one.`);
      }
    }
    for (const key of Object.keys(settingWords))
      assert.ok(
        Object.hasOwn(settingDeclarations, key),
        `There is no setting ${key}: take its row out of server/config/settingWords.ts.`,
      );
  });

  it('should have every word in three languages, with the same values in them', () => {
    const names = Object.fromEntries(Object.entries(settingWords).map(([key, { name }]) => [key, name]));
    for (const [key, row] of [...Object.entries(words), ...Object.entries(names)]) {
      assert.equal(row.length, 3, key);
      for (const text of row) {
        assert.notEqual(text.trim(), '', key);
        assert.deepEqual(placeholders(text), placeholders(row[0]), key);
      }
    }
  });

  it('should name every setting', () => {
    for (const key of Object.keys(settingDeclarations))
      assert.ok(
        Object.hasOwn(settingWords, key),
        `The setting ${key} has no name: add its row to server/config/settingWords.ts.`,
      );
  });

  it('should all be used', async () => {
    const sources = await sourcesOfApp();
    // Some names are put together, as `page_${state}`, and these come with the data.
    const fromData = /^(real|simulated|absent|trusted|refused|changed|incoming|outgoing|mended_\w+)$/;
    for (const key of Object.keys(words)) {
      const isBuilt = sources.includes(`\`${key.split('_')[0]}_$\{`);
      assert.ok(sources.includes(`'${key}'`) || isBuilt || fromData.test(key), `nobody uses ${key}`);
    }
  });
});

describe('the sources of the app', () => {
  it('security: should never read markup: what others named or printed stays text', async () => {
    const markup =
      /innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|createContextualFragment|\beval\(|new Function/;
    assert.doesNotMatch(await sourcesOfApp(), markup);
  });
});

/** All code of the app but its texts. */
async function sourcesOfApp(): Promise<string> {
  const folder = join(import.meta.dirname, '..');
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) =>
      /\.tsx$|^parts\/\w+\/view\w*\.ts$|^pages\/manage\/.*\.ts$/.test(file) &&
      !/[wW]ords(\.generated)?\.ts$|\.test\.ts$/.test(file),
  );
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
}
