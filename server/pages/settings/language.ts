import { de } from './texts/de.ts';
import { en, type TextKey, type Texts } from './texts/en.ts';
import { es } from './texts/es.ts';

/** The languages of the page, each in its own words. */
export const languages: Readonly<Record<string, Texts>> = { en, de, es };

const KEPT = 'language';
let chosen = pick([localStorage.getItem(KEPT) ?? '', ...navigator.languages]);

function pick(wanted: readonly string[]): string {
  const codes = wanted.map((tag) => tag.slice(0, 2).toLowerCase());
  return codes.find((code) => Object.hasOwn(languages, code)) ?? 'en';
}

/** Code of the language in use. */
export function language(): string {
  return chosen;
}

/** Changes the language, also for the next time. */
export function setLanguage(code: string): void {
  chosen = pick([code]);
  localStorage.setItem(KEPT, chosen);
}

/** A text in the language in use; `{name}` stands for a value. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const text = (languages[chosen] ?? en).texts[key];
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Whether there is a text of this name. */
export function hasText(key: string): key is TextKey {
  return Object.hasOwn(en.texts, key);
}

/** What a setting is for; where the language has no words of its own, those of the service. */
export function settingText(key: string, description: string): string {
  return (languages[chosen] ?? en).settings[key] ?? description;
}
