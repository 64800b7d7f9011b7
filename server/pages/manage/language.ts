import { settingWords } from '../../config/settingWords.ts';
import type { Language, Words } from '../../contract/device.ts';
import { purposeText } from './settingValue.ts';
import { words } from './texts/words.generated.ts';
import { store } from './ui/store.ts';

/** The languages of the app, each with its own name for itself, in the order of the words. */
export const languages = { en: 'English', de: 'Deutsch', es: 'Español' } satisfies Record<Language, string>;
const codes = Object.keys(languages);

export type Word = keyof typeof words;

const KEPT = 'language';

function kept(): string {
  try {
    return localStorage.getItem(KEPT) ?? '';
  } catch {
    return '';
  }
}

function pick(wanted: readonly string[]): string {
  const short = wanted.map((tag) => tag.slice(0, 2).toLowerCase());
  return short.find((code) => codes.includes(code)) ?? 'en';
}

/** Code of the current language. */
export const language = store(pick([kept(), ...navigator.languages]));

/** Takes the language of the panel where no other was chosen here. */
export function adoptLanguage(code: string): void {
  if (kept() === '') language.set(pick([code]));
}

/** Changes the language and remembers it. */
export function setLanguage(code: string): void {
  try {
    localStorage.setItem(KEPT, pick([code]));
  } catch {
    // It holds until the page is closed.
  }
  language.set(pick([code]));
}

/** A text in the current language; `{name}` is replaced by a value. */
export function t(key: Word, values: Readonly<Record<string, string | number>> = {}): string {
  return inLanguage(words[key]).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** A row of words in the current language. */
export function inLanguage(row: Words): string {
  return row[codes.indexOf(language.get())] ?? '';
}

/** Whether a text with this name exists. */
export function hasText(key: string): key is Word {
  return Object.hasOwn(words, key);
}

/** A sentence that the service said in English, where these texts have it; else as it is. */
export function translated(sentence: string): string {
  return inLanguage(
    Object.values<Words>(words).find(([english]) => english === sentence) ?? [sentence, sentence, sentence],
  );
}

/** The purpose of a setting; the service's own text when the language has none. */
export function settingText(key: string, description: string): string {
  const code = language.get();
  return purposeText((code === 'de' || code === 'es' ? settingWords[key]?.[code] : undefined) ?? description);
}

/** What a person calls a value that is chosen: on and off, a language, a word that has its text, else as it is written. */
export function choiceText(value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'turnedOn' : 'turnedOff');
  const text = String(value);
  if (codes.includes(text))
    return new Intl.DisplayNames([language.get()], { type: 'language' }).of(text) ?? text;
  for (const key of [`choice_${text}`, `scope_${text}`]) if (hasText(key)) return t(key);
  return text;
}

/** The name of a property inside a setting. */
export function fieldText(name: string): string {
  const key = `field_${name}`;
  return hasText(key) ? t(key) : name;
}

/** For times and numbers: English with hours up to 24. */
function region(): string {
  return language.get() === 'en' ? 'en-GB' : language.get();
}

/** A time as people write it here. */
export function timeText(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return '–';
  return new Intl.DateTimeFormat(region(), { dateStyle: 'medium', timeStyle: 'medium' }).format(
    new Date(iso),
  );
}

/** A day of this year, `25 Nov`; of another year with it. */
export function dateText(iso: string): string {
  const day = new Date(iso);
  const isThisYear = day.getFullYear() === new Date().getFullYear();
  const year = isThisYear ? {} : { year: 'numeric' as const };
  return new Intl.DateTimeFormat(region(), { day: 'numeric', month: 'short', ...year }).format(day);
}

/** The time of day, to the minute. */
export function clockText(at: Date): string {
  return new Intl.DateTimeFormat(region(), { timeStyle: 'short' }).format(at);
}

/** The time of day with milliseconds, and the day of the week: for things that follow each other quickly. */
export function momentText(at: number): string {
  return new Intl.DateTimeFormat(region(), {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).format(at);
}

/** The name of a day of the week. @param day 0 = Sunday */
export function dayName(day: number, length: 'short' | 'long'): string {
  // The first of August 2021 was a Sunday.
  return new Intl.DateTimeFormat(region(), { weekday: length, timeZone: 'UTC' }).format(
    Date.UTC(2021, 7, 1 + day),
  );
}

/** A number of bytes in words. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = new Intl.NumberFormat(region(), { maximumFractionDigits: 1 }).format(bytes / 1000 ** power);
  return `${value} ${units[power]}`;
}

/** The name of a setting; its key where it has none. */
export function settingName(key: string): string {
  const row = settingWords[key];
  return row === undefined ? key : inLanguage(row.name);
}
