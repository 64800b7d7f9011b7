import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { settingDeclarations } from '../config/settings.ts';
import { de } from './manage/texts/de.ts';
import { en } from './manage/texts/en.ts';
import { es } from './manage/texts/es.ts';
import { settingNames } from './manage/texts/settingNames.ts';
import { words } from './manage/texts/words.ts';

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

describe('the texts of the app', () => {
  for (const language of [de, es])
    it(`should be all there in ${language.name}, with the same values in them`, () => {
      assert.deepEqual(Object.keys(language.texts).sort(), Object.keys(en.texts).sort());
      for (const [key, text] of Object.entries(language.texts)) {
        assert.notEqual(text.trim(), '', key);
        assert.deepEqual(placeholders(text), placeholders(en.texts[key as keyof typeof en.texts]), key);
      }
    });

  it('should say of every setting what it is for, in every language', () => {
    for (const [key, { description }] of Object.entries(settingDeclarations)) {
      assert.match(description, /\.$/, key);
      for (const [file, { name, settings }] of Object.entries({ de, es })) {
        const where = `server/pages/manage/texts/${file}.ts`;
        const text = settings[key];
        assert.ok(
          text !== undefined,
          `The setting ${key} has no ${name} text: add a sentence that says "${description}" to settings in ${where}.`,
        );
        assert.match(text, /[^.]\.$/, `The text of ${key} in ${where} must be a sentence with a full stop.`);
        assert.notEqual(text, description, `The text of ${key} in ${where} is the English one.`);
      }
    }
    for (const [file, { settings }] of Object.entries({ en, de, es }))
      for (const key of Object.keys(settings))
        assert.ok(
          Object.hasOwn(settingDeclarations, key),
          `There is no setting ${key}: take its text out of server/pages/manage/texts/${file}.ts.`,
        );
  });

  it('should have every word in three languages, with the same values in them', () => {
    for (const [key, row] of Object.entries({ ...words, ...settingNames })) {
      for (const text of row) {
        assert.notEqual(text.trim(), '', key);
        assert.deepEqual(placeholders(text), placeholders(row[0]), key);
      }
    }
    for (const key of Object.keys(words)) assert.ok(!Object.hasOwn(en.texts, key), `${key} stands twice`);
  });

  it('should name every setting', () => {
    for (const key of Object.keys(settingDeclarations))
      assert.ok(
        Object.hasOwn(settingNames, key),
        `The setting ${key} has no name: add one to server/pages/manage/texts/settingNames.ts.`,
      );
  });

  it('should all be used', async () => {
    const sources = await sourcesOfApp();
    // Some names are put together, as `page_${state}`, and these come with the data.
    const fromData = /^(real|simulated|absent|trusted|refused|changed|incoming|outgoing)$/;
    for (const key of [...Object.keys(en.texts), ...Object.keys(words)]) {
      const isBuilt = sources.includes(`\`${key.split('_')[0]}_$\{`);
      assert.ok(
        sources.includes(`'${key}'`) || isView(key) || isBuilt || fromData.test(key),
        `nobody uses ${key}`,
      );
    }
    function isView(key: string): boolean {
      return sources.includes(`{ name: '${key}', load:`);
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
      !/\/texts\/|\.test\.ts$/.test(file),
  );
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
}
