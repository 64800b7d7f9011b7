/** Keys and raw values of the group `[Desktop Entry]`; a translated key carries its locale, as in `Name[de]`. */
export type DesktopEntry = ReadonlyMap<string, string>;

const MAIN_GROUP = 'Desktop Entry';
const KEY_LINE = /^([A-Za-z0-9-]+(?:\[[^\][]+\])?)[ \t]*=[ \t]*(.*)$/;

/**
 * Reads a desktop entry file (Desktop Entry Specification 1.5, section 3). Unknown lines are skipped; when a key occurs
 * twice the last one counts, as in GLib.
 * @returns null when the file has no group `[Desktop Entry]`, or holds NUL characters
 */
export function parseDesktopEntry(text: string): DesktopEntry | null {
  if (text.includes('\0')) return null;
  const keys = new Map<string, string>();
  let group: string | undefined;
  let found = false;
  for (const rawLine of text.replace(/^\u{feff}/u, '').split('\n')) {
    const line = rawLine.replace(/[ \t\r]+$/, '');
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('[')) {
      group = line.endsWith(']') ? line.slice(1, -1) : undefined;
      found ||= group === MAIN_GROUP;
    } else if (group === MAIN_GROUP) {
      const [, key, value] = KEY_LINE.exec(line) ?? [];
      if (key !== undefined && value !== undefined) keys.set(key, value);
    }
  }
  return found ? keys : null;
}

const ESCAPED: Readonly<Record<string, string>> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' };

/** A value of type string: `\s \n \t \r \\` are decoded (section 4); any other escape stays. */
export function stringValue(entry: DesktopEntry, key: string): string | undefined {
  return entry.get(key)?.replaceAll(/\\(.)/g, (whole, letter: string) => ESCAPED[letter] ?? whole);
}

/** A value of type boolean; also the `1` of old files (section 4 and its deprecated items). */
export function booleanValue(entry: DesktopEntry, key: string): boolean {
  const value = entry.get(key);
  return value === 'true' || value === '1';
}

/** A translated value, best fit for the locale first, the plain one last (section 5). */
export function localeValue(entry: DesktopEntry, key: string, locale: string): string | undefined {
  for (const candidate of localeCandidates(locale)) {
    const value = stringValue(entry, `${key}[${candidate}]`);
    if (value !== undefined) return value;
  }
  return stringValue(entry, key);
}

/**
 * The names that a translation for a locale may have, best first:
 * `sr_RS.UTF-8@latin` gives `sr_RS@latin`, `sr_RS`, `sr@latin`, `sr`.
 */
export function localeCandidates(locale: string): string[] {
  const [, language, country = '', modifier = ''] =
    /^([A-Za-z]+)(_[A-Za-z0-9]+)?(?:\.[^@]*)?(@.+)?$/.exec(locale) ?? [];
  if (language === undefined) return [];
  const both = [country + modifier, country, modifier, ''].map((rest) => language + rest);
  return [...new Set(both)];
}

/** The locale of a session's messages (locale(7)); empty when none is set. */
export function messageLocale(environment: NodeJS.ProcessEnv): string {
  return environment.LC_ALL || environment.LC_MESSAGES || environment.LANG || '';
}

/** Text as a value of type string. */
export function escapeString(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')
    .replace(/^ +| +$/g, (blanks) => '\\s'.repeat(blanks.length));
}
