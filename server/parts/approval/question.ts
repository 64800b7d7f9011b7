import type { Identity } from '../../contract/access.ts';
import { languages, type WordsFor } from '../../contract/device.ts';
import type { ApprovalOnGlass, LabelledText } from '../../kiosk/glass/contract.ts';
import { accessWords } from '../access/words.ts';
import { commandWords } from './commandWords.generated.ts';

/** What the question says, beside the words of the command. */
export const askWords = {
  title: [
    'Request from outside this panel',
    'Anfrage von außerhalb dieses Panels',
    'Petición de fuera de este panel',
  ],
  caller: ['Who asks', 'Wer fragt', 'Quién lo pide'],
  scopes: ['May', 'Darf', 'Puede'],
  madeAt: ['Token made', 'Token erzeugt', 'Token creado'],
  address: ['From', 'Von', 'Desde'],
  topic: ['Topic (MQTT)', 'Topic (MQTT)', 'Tema (MQTT)'],
  broker: ['Broker', 'Broker', 'Bróker'],
  command: ['Command', 'Befehl', 'Orden'],
  yes: ['Allow', 'Erlauben', 'Permitir'],
  no: ['Deny', 'Ablehnen', 'Denegar'],
} satisfies WordsFor;

/** A call from outside that needs a yes. */
export interface AskedCall {
  readonly command: string;
  /** As given, secrets included. */
  readonly params: unknown;
  readonly surface: string;
  /** The object that represents the caller: for a token as long as it is valid. */
  readonly identity: Pick<Identity, 'id' | 'name' | 'scopes' | 'commands'>;
  readonly address: string | null;
}

/** Longest name of a caller, longest value, and longest values together, in characters. */
const NAME_LIMIT = 200;
const VALUE_LIMIT = 1_000;
const TOTAL_LIMIT = 2_000;
/** So much of what a token opens is shown. */
const MOST_OPENED = 6;
/** So many values are shown. */
const MOST_VALUES = 12;
/** What cannot be seen or turns the order of letters around: it could make a text look like another. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The question for a person, in a language of the panel.
 * @param params those of the call without secrets
 * @param madeAt when the caller's token was made, in milliseconds since 1970; undefined without one
 */
export function questionOf(
  { command, surface, identity, address }: AskedCall,
  params: unknown,
  language: string,
  madeAt?: number,
): Omit<ApprovalOnGlass, 'id' | 'seconds'> {
  const at = indexOf(language);
  const actions: WordsFor = commandWords;
  const words = (key: keyof typeof askWords) => askWords[key][at];
  const swatch = colourOf(params);
  const name = { label: words(surface === 'mqtt' ? 'topic' : 'caller'), text: oneLine(identity.name) };
  // A name is what the caller chose; what the token opens, and since when there is one, is not.
  const held =
    identity.commands === undefined
      ? identity.scopes.map((scope) => accessWords[`scope_${scope}`][at])
      : identity.commands.map((one) => actions[one]?.[at] ?? one);
  const opened = held.slice(0, MOST_OPENED).join(', ') + (held.length > MOST_OPENED ? ' …' : '');
  const scopes = { label: words('scopes'), text: opened || '–' };
  const made = madeAt === undefined ? [] : [{ label: words('madeAt'), text: dateText(madeAt, at) }];
  const from = { label: words(surface === 'mqtt' ? 'broker' : 'address'), text: oneLine(address ?? '') };
  return {
    title: words('title'),
    // Nothing that the caller wrote: its name has a place of its own.
    action: `${languages[at] === 'es' ? '¿' : ''}${actions[command]?.[at] ?? command}?`,
    facts: [
      name,
      scopes,
      ...made,
      ...(address === null ? [] : [from]),
      { label: words('command'), text: command },
    ],
    swatch,
    // The colour is seen.
    params: valuesOf(params).filter(({ label }) => swatch === null || !PRIMARIES.includes(label)),
    yes: words('yes'),
    no: words('no'),
  };
}

const PRIMARIES: readonly string[] = ['red', 'green', 'blue'];

/** The colour of a call with red, green and blue, from 0 to 255 each, as the LED bar has them. */
function colourOf(params: unknown): string | null {
  const given = (params ?? {}) as Record<string, unknown>;
  const parts = PRIMARIES.map((key) => {
    const part = given[key];
    return Number.isInteger(part) && (part as number) >= 0 && (part as number) <= 255 ? (part as number) : -1;
  });
  if (parts.includes(-1)) return null;
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** In the language of the question and the time zone of the panel. */
function dateText(time: number, at: number): string {
  return new Intl.DateTimeFormat(languages[at], { dateStyle: 'medium', timeStyle: 'short' }).format(time);
}

/** What the call was given, value by value; what is not shown says how much it is. */
function valuesOf(params: unknown): LabelledText[] {
  if (typeof params !== 'object' || params === null) return [];
  const all = Object.entries(params).filter(([, value]) => value !== undefined);
  let left = TOTAL_LIMIT;
  const shown = all.slice(0, MOST_VALUES).map(([key, value]) => {
    const given = typeof value === 'string' ? value : JSON.stringify(value);
    const text = visible(cut(given, Math.min(VALUE_LIMIT, left)));
    left = Math.max(0, left - text.length);
    return { label: oneLine(key), text };
  });
  return all.length > MOST_VALUES ? [...shown, { label: '…', text: `+${all.length - MOST_VALUES}` }] : shown;
}

/** Text in which nothing hides; lines stay lines. */
function visible(text: string): string {
  return text.replace(UNSEEN, (character) => (/[\n\t]/.test(character) ? character : '\uFFFD'));
}

function oneLine(text: string): string {
  return cut(text, NAME_LIMIT).replace(UNSEEN, '\uFFFD');
}

function cut(text: string, limit: number): string {
  const rest = text.length - limit;
  return rest <= 0 ? text.toWellFormed() : `${text.slice(0, limit).toWellFormed()} … (+${rest})`;
}

/** Where the texts of a language stand; those of English for one that is not known. */
function indexOf(language: string): 0 | 1 | 2 {
  return Math.max(0, (languages as readonly string[]).indexOf(language)) as 0 | 1 | 2;
}
