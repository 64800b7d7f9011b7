import type { SettingKind } from '../../config/contract.ts';

/** A setting as the service describes it; secrets have no value. */
export interface SettingEntry {
  readonly kind: SettingKind;
  readonly value?: unknown;
  readonly default?: unknown;
  readonly set?: boolean;
  readonly source: string;
  readonly description: string;
  readonly unit?: string | undefined;
  readonly choices?: readonly unknown[] | undefined;
  /** The viewer may not change it. */
  readonly locked?: true | undefined;
}

/** Whether a setting is not as it is by default. */
export function isChanged(entry: SettingEntry): boolean {
  if (entry.set !== undefined) return entry.set;
  return JSON.stringify(entry.value) !== JSON.stringify(entry.default);
}

/** The value for a person to read, in one line. */
export function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value === undefined ? '' : String(value);
}

const NOTATION =
  /[:,]? (?:a JSON list of |als JSON-Liste von |como lista JSON de )?(?:\[[^\]]*\]|\{[^}]*\})|[;,] docs\/\S+ [^.,;]*/g;

/** What a setting is for, without how it is written in a file: an example in JSON, and the page of the docs. */
export function purposeText(description: string): string {
  return description.replace(NOTATION, '');
}

/** Seconds as a person says them, in hours, minutes and seconds. @param language of the words */
export function durationText(seconds: number, language: string): string {
  const parts = [
    [Math.floor(seconds / 3_600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ] as const;
  return parts
    .filter(([count, unit]) => count > 0 || (seconds === 0 && unit === 'second'))
    .map(([count, unit]) =>
      new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(count),
    )
    .join(' ');
}

/** The part of JSON Schema that settings are described with. */
export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** How a value is edited: made from its schema, so that a new setting has an editor without further work. */
export type Field =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly choices: readonly unknown[] }
  /** `words` are the texts that are taken beside a number, such as auto. */
  | {
      readonly kind: 'number';
      readonly words: readonly string[];
      readonly unit: string;
      readonly min: number;
    }
  | {
      readonly kind: 'text';
      readonly words: readonly string[];
      readonly isSecret: boolean;
      readonly isLong: boolean;
      readonly maxLength: number | undefined;
    }
  /** Some of a few. */
  | { readonly kind: 'several'; readonly choices: readonly unknown[] }
  /** A list of texts or numbers. */
  | { readonly kind: 'chips'; readonly item: Field; readonly max: number | undefined }
  | FormField
  | { readonly kind: 'forms'; readonly item: FormField; readonly max: number | undefined }
  /** Texts by name. */
  | { readonly kind: 'pairs'; readonly item: Field };

/** An object; one that may be left out is removed with null where the schema has null. */
export interface FormField {
  readonly kind: 'form';
  readonly isNullable: boolean;
  readonly fields: readonly { readonly name: string; readonly isNeeded: boolean; readonly field: Field }[];
}

/** From this length on a text is written in several lines. */
const LONG_TEXT = 16_384;
const SECRET_NAMES = /^(?:password|secret|token|pin)$|(?:Password|Secret|Pin)$/;
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^seconds$|Seconds$/, 's'],
  [/Ms$/, 'ms'],
  [/Bytes$/, 'B'],
];

/**
 * How a value with this schema is edited.
 * @param name of the setting or the property: secrets and units are known by it
 */
export function fieldOf(schema: Schema, name = ''): Field {
  const options = optionsOf(schema);
  const taken = options.filter(({ type }) => type !== 'null');
  const words = taken
    .flatMap((option) => option.enum ?? (option.const === undefined ? [] : [option.const]))
    .filter((word) => word !== '');
  const rest = taken.filter((option) => option.enum === undefined && option.const === undefined);
  const of = (type: string) => rest.find((option) => option.type === type);
  const list = of('array');
  if (list !== undefined) return listFieldOf(list, name);
  if (of('object') !== undefined)
    return objectFieldOf(
      rest.filter(({ type }) => type === 'object'),
      taken.length < options.length,
    );
  if (of('boolean') !== undefined)
    return words.length === 0 ? { kind: 'switch' } : { kind: 'choice', choices: [...words, true, false] };
  const texts = words.filter((word) => typeof word === 'string');
  const number = of('integer') ?? of('number');
  if (number !== undefined) {
    const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? '';
    return { kind: 'number', words: texts, unit, min: Math.max(0, number.minimum ?? 0) };
  }
  if (rest.length === 0) return { kind: 'choice', choices: words };
  const longest = Math.max(...rest.map(({ maxLength = 0 }) => maxLength));
  return {
    kind: 'text',
    words: texts,
    isSecret: SECRET_NAMES.test(name),
    isLong: longest >= LONG_TEXT,
    maxLength: longest || undefined,
  };
}

/** The forms that a value may have; an "anyOf" beside a type is only a rule between properties. */
function optionsOf(schema: Schema): readonly Schema[] {
  return schema.type === undefined && schema.anyOf !== undefined ? schema.anyOf.flatMap(optionsOf) : [schema];
}

function listFieldOf({ items = {}, maxItems: max }: Schema, name: string): Field {
  const item = fieldOf(items, name);
  if (item.kind === 'choice') return { kind: 'several', choices: item.choices };
  return item.kind === 'form' ? { kind: 'forms', item, max } : { kind: 'chips', item, max };
}

function objectFieldOf(objects: readonly Schema[], isNullable: boolean): Field {
  const { properties = {}, required = [], additionalProperties } = objects[0] ?? {};
  if (typeof additionalProperties === 'object') return { kind: 'pairs', item: fieldOf(additionalProperties) };
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    isNeeded: required.includes(name),
    field: fieldOf(schema, name),
  }));
  return { kind: 'form', isNullable, fields };
}

/** What an editor begins with. A secret begins empty: it is never shown. */
export function draftOf(field: Field, value: unknown): unknown {
  if (field.kind === 'chips' || field.kind === 'several' || field.kind === 'forms')
    return Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value];
  if (field.kind === 'form' || field.kind === 'pairs') return value ?? {};
  return value ?? '';
}

/** Whether an object stands for a secret that the panel has and does not show: `{"user":"panel","set":true}`. */
export function isKeptSecret(draft: unknown): boolean {
  return typeof draft === 'object' && draft !== null && (draft as { set?: unknown }).set === true;
}

/**
 * The value that a draft means; undefined where it is left out. What is no number stays as it is typed: the service says
 * what is wrong with it.
 */
export function valueFrom(field: Field, draft: unknown): unknown {
  switch (field.kind) {
    case 'number': {
      const text = String(draft ?? '').trim();
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
    }
    case 'text':
      // A secret may begin or end with a space.
      return field.isSecret || field.isLong ? draft : String(draft ?? '').trim();
    case 'chips':
      return (draft as readonly unknown[])
        .map((each) => valueFrom(field.item, each))
        .filter((each) => each !== '');
    case 'forms':
      return (draft as readonly unknown[]).map((each) => valueFrom(field.item, each));
    case 'form':
      return isKeptSecret(draft)
        ? undefined
        : formValueFrom(field, draft as Readonly<Record<string, unknown>>);
    default:
      return draft;
  }
}

function formValueFrom({ fields }: FormField, draft: Readonly<Record<string, unknown>>): unknown {
  const entries = fields.flatMap(({ name, isNeeded, field }) => {
    const sent = draft[name];
    // Without a change a nested list or object is not sent: one that may be left out stays so.
    if (sent === undefined) return isNeeded ? [[name, valueFrom(field, draftOf(field, undefined))]] : [];
    const value = sent === null ? null : valueFrom(field, sent);
    return value === undefined || (value === '' && !isNeeded) ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** What is wrong with a value: the place in it, and the words. */
export interface Mistake {
  /** `0.peer`; empty: the value as a whole. */
  readonly path: string;
  readonly words: string;
}

/** What the service says of one setting, from its sentence: `The settings have mistakes: sip.doors: 0.peer: must be …` */
export function mistakeIn(key: string, message: string): Mistake {
  const at = message.indexOf(`${key}: `);
  if (at === -1) return { path: '', words: message };
  const [first = ''] = message.slice(at + key.length + 2).split(/; (?=[a-z]\w*\.\w+: )/);
  const [, path = '', words = first] = /^((?:\d+|\w+)(?:\.\w+)*): (.+)$/s.exec(first) ?? [];
  return { path, words: words.replace(/\.$/, '') };
}

/** Stores a value; null brings the default back. */
export type Save = (key: string, value: unknown) => Promise<void>;

/** What the control of a setting gets. */
export interface ControlProps {
  readonly name: string;
  readonly entry: SettingEntry;
  readonly isHeld: boolean;
  readonly save: Save;
  /** Opens its editor. @param entry with another value to begin with */
  readonly edit: (entry?: SettingEntry) => void;
}

/** What a person wants to do, and the settings for it: whole keys, or the beginning of keys. */
export const purposes = {
  panel: ['device.', 'host', 'board', 'wizard', 'keyboard.'],
  show: [
    'kiosk.url',
    'kiosk.project',
    'kiosk.pages',
    'kiosk.parameters',
    'projects.parameters',
    'kiosk.scrollbars',
    'kiosk.screenReader',
    'kiosk.inject',
    'kiosk.logins',
    'idle.',
  ],
  recovery: ['kiosk.deadPageCheck', 'kiosk.memoryLimit', 'kiosk.quietHour'],
  rights: ['bridge.', 'apps.', 'terminal.', 'approval.', 'kiosk.secureOrigins', 'kiosk.authorities'],
  reach: ['http.', 'https.', 'token', 'kiosk.pin', 'mqtt.'],
  cameras: ['streams.'],
  intercom: ['sip.'],
  service: ['log.', 'update.', 'dataDir', 'kiosk.'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Purpose = keyof typeof purposes;

/** The purpose of a setting: the longest entry that fits; an unsorted setting is for technicians. */
export function purposeOf(key: string): Purpose {
  let best: Purpose = 'service';
  let length = 0;
  for (const [purpose, entries] of Object.entries(purposes) as [Purpose, readonly string[]][])
    for (const entry of entries) {
      const fits = entry.endsWith('.') ? key.startsWith(entry) : key === entry;
      if (fits && entry.length > length) [best, length] = [purpose, entry.length];
    }
  return best;
}
