/** What the panel itself speaks. */
export const languages = ['en', 'de', 'es'] as const;
export type Language = (typeof languages)[number];

/** A text in these languages, in their order. */
export type Words = readonly [en: string, de: string, es: string];
export type WordsFor<Key extends string = string> = Readonly<Record<Key, Words>>;

/** What a setting is called, and what it is for; in English its declaration says that. */
export interface SettingWords {
  readonly name: Words;
  readonly de: string;
  readonly es: string;
}
