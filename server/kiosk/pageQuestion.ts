import type { PageDialog } from './host.ts';

/** Longest question, in characters of JSON; the window guard (preload/windowGuard.ts) cuts what is longer. */
const LONGEST = 100_000;

/** What the window guard asks for a document of this origin; undefined for what is no question. */
export function readQuestion(json: string, origin: string): PageDialog | undefined {
  if (json.length > LONGEST) return undefined;
  let asked: unknown;
  try {
    asked = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof asked !== 'object' || asked === null) return undefined;
  const { kind, text, value } = asked as Partial<Record<keyof PageDialog, unknown>>;
  if (kind !== 'alert' && kind !== 'confirm' && kind !== 'prompt') return undefined;
  return { kind, origin, text: String(text ?? ''), value: String(value ?? '') };
}
