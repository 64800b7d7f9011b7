import { type Language, languages } from '../contract/device.ts';

/** The language of the system's messages, as its environment names it (locale(7)); English where it is another. */
export function systemLanguage(environment: NodeJS.ProcessEnv): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = environment;
  const locale = LC_ALL || LC_MESSAGES || LANG || '';
  return languages.find((language) => new RegExp(`^${language}(?:[_.@-]|$)`, 'i').test(locale)) ?? 'en';
}
