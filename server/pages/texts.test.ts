import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { settingDeclarations } from '../config/settings.ts';
import { de } from './settings/texts/de.ts';
import { en } from './settings/texts/en.ts';
import { es } from './settings/texts/es.ts';

const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

describe('the texts of the settings page', () => {
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
        const where = `server/pages/settings/texts/${file}.ts`;
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
          `There is no setting ${key}: take its text out of server/pages/settings/texts/${file}.ts.`,
        );
  });

  it('should name every group of settings', () => {
    for (const key of Object.keys(settingDeclarations)) {
      const group = `group_${key.includes('.') ? key.split('.')[0] : 'general'}`;
      assert.ok(Object.hasOwn(en.texts, group), `${key} needs a text ${group} in every language`);
    }
  });

  it('should all be used', async () => {
    const folder = join(import.meta.dirname, 'settings');
    const files = (await readdir(folder, { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('texts'),
    );
    const sources = (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
    // Of these, the name is put together or comes with the data.
    const byName = /^(real|simulated|absent|trusted|refused|changed|group_\w+)$/;
    for (const key of Object.keys(en.texts))
      assert.ok(sources.includes(`'${key}'`) || byName.test(key), `nobody uses ${key}`);
  });
});
