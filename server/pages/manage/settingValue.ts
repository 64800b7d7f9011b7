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

/** The value for a person to read, in one line. */
export function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value === undefined ? '' : String(value);
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

/** The value for a person to edit. */
export function editableText({ kind, value }: SettingEntry): string {
  return kind === 'json' && value !== undefined ? JSON.stringify(value, null, 2) : valueText(value);
}

/**
 * The value that a text means. Text that is no number stays as it is: the service says what is wrong with it.
 * @throws SyntaxError when JSON is expected and the text is none
 */
export function parseValue(text: string, { kind, set }: SettingEntry): unknown {
  const trimmed = text.trim();
  if (kind === 'json') return JSON.parse(trimmed);
  // A secret may begin or end with a space.
  if (set !== undefined) return text;
  if (kind === 'list') return trimmed === '' ? [] : trimmed.split(',').map((item) => item.trim());
  return kind === 'integer' && /^-?\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** Stores a value; null brings the default back. */
export type Save = (key: string, value: unknown) => Promise<void>;

/** What the control of a setting gets. */
export interface ControlProps {
  readonly name: string;
  readonly entry: SettingEntry;
  readonly isHeld: boolean;
  readonly save: Save;
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
