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

  it('should say of every setting what it is for, in the words of the service where a language has none', () => {
    const keys = Object.keys(settingDeclarations);
    for (const { description } of Object.values(settingDeclarations)) assert.match(description, /\.$/);
    for (const { settings } of [en, de, es])
      for (const [key, text] of Object.entries(settings)) {
        assert.ok(keys.includes(key), `there is no setting ${key}`);
        assert.match(text, /\.$/);
      }
  });

  it('should all be used', async () => {
    const folder = join(import.meta.dirname, 'settings');
    const files = (await readdir(folder, { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('texts'),
    );
    const sources = (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
    // Of these, the name is put together or comes with the data.
    const byName = /^(real|simulated|absent|trusted|refused|changed)$/;
    for (const key of Object.keys(en.texts))
      assert.ok(sources.includes(`'${key}'`) || byName.test(key), `nobody uses ${key}`);
  });
});
