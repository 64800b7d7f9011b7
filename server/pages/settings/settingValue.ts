/** A setting as the service describes it; secrets have no value. */
export interface SettingEntry {
  readonly value?: unknown;
  readonly default?: unknown;
  readonly set?: boolean;
  readonly source: string;
  readonly description: string;
  readonly unit?: string | undefined;
}

/** The value as a person reads and edits it. */
export function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value === undefined ? '' : String(value);
}

/**
 * What a text stands for, told by the default of the setting. Text that does not fit is kept as it is: the service says
 * what is wrong with it.
 */
export function parseValue(text: string, entry: SettingEntry): unknown {
  const { default: fallback } = entry;
  const trimmed = text.trim();
  const isSecret = entry.set !== undefined;
  if (/^[[{]/.test(trimmed) && (isSecret || typeof fallback === 'object')) return parsed(trimmed) ?? text;
  if (isSecret) return text;
  if (Array.isArray(fallback)) return trimmed === '' ? [] : trimmed.split(',').map((item) => item.trim());
  const mayBeTyped = typeof fallback !== 'string' || fallback === 'auto' || fallback === 'off';
  if (mayBeTyped && /^(true|false|-?\d+)$/.test(trimmed)) return parsed(trimmed);
  return trimmed;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
