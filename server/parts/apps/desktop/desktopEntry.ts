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

/** What the field codes of an Exec line stand for. */
interface ExecFields {
  /** `%c`: the translated name. */
  readonly name: string;
  /** `%i`: becomes the two arguments `--icon` and this one. */
  readonly icon: string | undefined;
  /** `%k`: the path of the desktop entry. */
  readonly file: string;
}

/** Codes for files and addresses, and deprecated ones: a launch opens no file, so they are left out. */
const EMPTY_CODES = 'fFuUdDnNvm';
/** Characters that a backslash makes literal between double quotes. */
const QUOTED_ESCAPES = '"`$\\';

/**
 * Splits an Exec value into arguments (Desktop Entry Specification 1.5, section 7), without any shell: characters that
 * are special to a shell are ordinary here. The specification leaves single quotes and a backslash outside quotes open;
 * they mean what they mean to GLib.
 * @param value with the escapes of the file already decoded
 * @returns null when the line is not valid
 */
export function parseExec(value: string, fields: ExecFields): string[] | null {
  const words = splitWords(value);
  const argv: string[] = [];
  for (const word of words ?? []) {
    if (word === '%i') {
      if (fields.icon !== undefined) argv.push('--icon', fields.icon);
      continue;
    }
    if (word.length === 2 && word.startsWith('%') && EMPTY_CODES.includes(word[1]!)) continue;
    const expanded = expandCodes(word, fields);
    if (expanded === null) return null;
    argv.push(expanded);
  }
  const program = argv[0];
  if (program === undefined || program === '' || program.includes('=')) return null;
  if (program.includes('/') && !program.startsWith('/')) return null;
  return argv.some((argument) => argument.includes('\0')) ? null : argv;
}

/** Writes arguments as the value of an Exec key, so that `parseExec` gives them back. */
export function formatExec(argv: readonly string[]): string {
  const quoted = argv.map((argument) => `"${argument.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`);
  return escapeString(quoted.join(' '));
}

/** @returns null when a quote is not closed, or a backslash comes last. */
function splitWords(value: string): string[] | null {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < value.length; at++) {
    const character = value[at]!;
    const next = value[at + 1];
    if (character === '\\' && quote !== "'") {
      if (next === undefined) return null;
      if (quote === '"' && !QUOTED_ESCAPES.includes(next)) {
        word += character;
        continue;
      }
      word = (word ?? '') + next;
      at++;
    } else if (quote !== '') {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (character === ' ' || character === '\t' || character === '\n') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== '') return null;
  if (word !== undefined) words.push(word);
  return words;
}

/** @returns null when a code is unknown: such a line must not be processed (section 7). */
function expandCodes(word: string, fields: ExecFields): string | null {
  let expanded = '';
  for (let at = 0; at < word.length; at++) {
    if (word[at] !== '%') {
      expanded += word[at];
      continue;
    }
    at++;
    const code = word[at];
    if (code === '%') expanded += '%';
    else if (code === 'c') expanded += fields.name;
    else if (code === 'k') expanded += fields.file;
    else if (code === undefined || !`${EMPTY_CODES}i`.includes(code)) return null;
  }
  return expanded;
}
