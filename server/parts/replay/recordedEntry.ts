/** How deep params may be nested: those of the contract are flat. */
const MAX_DEPTH = 32;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** What is used of an entry of a journal. */
export interface RecordedEntry {
  readonly time: string;
  /** The same in milliseconds since 1970. */
  readonly at: number;
  readonly command: string;
  /** Whose call it was. */
  readonly caller: string;
  readonly params: unknown;
  /** `OK`, or the code of the error. */
  readonly code: string;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/**
 * Reads a line of a journal, also one of a later version: fields that are not known here are left aside.
 * @returns undefined when it is no entry
 */
export function entryOf(line: string): RecordedEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { time, command, caller, params, code, ms } = value as Partial<Record<keyof RecordedEntry, unknown>>;
  if (typeof time !== 'string' || typeof command !== 'string' || typeof code !== 'string') return undefined;
  const at = UTC.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(at) || !isFlatterThan(params, MAX_DEPTH)) return undefined;
  const name = (caller as { name?: unknown } | null | undefined)?.name;
  return {
    time,
    at,
    command,
    caller: typeof name === 'string' ? name : '',
    params,
    code,
    ms: typeof ms === 'number' && ms > 0 ? ms : 0,
  };
}

function isFlatterThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((child) => isFlatterThan(child, levels - 1));
}
