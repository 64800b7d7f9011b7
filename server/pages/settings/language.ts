import { de } from './texts/de.ts';
import { en, type TextKey, type Texts } from './texts/en.ts';
import { es } from './texts/es.ts';

/** The languages of the page, each with its own name for itself. */
export const languages: Readonly<Record<string, Texts>> = { en, de, es };

const KEPT = 'language';
let chosen = pick([localStorage.getItem(KEPT) ?? '', ...navigator.languages]);

function pick(wanted: readonly string[]): string {
  const codes = wanted.map((tag) => tag.slice(0, 2).toLowerCase());
  return codes.find((code) => Object.hasOwn(languages, code)) ?? 'en';
}

/** Code of the current language. */
export function language(): string {
  return chosen;
}

/** Changes the language and remembers it. */
export function setLanguage(code: string): void {
  chosen = pick([code]);
  localStorage.setItem(KEPT, chosen);
}

/** A text in the current language; `{name}` stands for a value. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const text = (languages[chosen] ?? en).texts[key];
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Whether a text with this name exists. */
export function hasText(key: string): key is TextKey {
  return Object.hasOwn(en.texts, key);
}

/** The purpose of a setting; the service's own text when the language has none. */
export function settingText(key: string, description: string): string {
  return (languages[chosen] ?? en).settings[key] ?? description;
}
