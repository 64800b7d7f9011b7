import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';

/** The functions for devices on the network, as they stand in the documentation. */
const recipes = (() => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/recipes.md'), 'utf8');
  const [, chapter = ''] = /^## Devices on the network\n([\s\S]*?)^## /m.exec(text) ?? [];
  return [...chapter.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n');
})();

/** Runs code in the page after the recipes, as an author writes it. */
export const runRecipe = <T>(page: Page, code: string): Promise<T> =>
  page.evaluate(`(async () => { const { container } = window; ${recipes}\n${code} })()`);
