import type { Params } from '../../pages/manage/client/panel.ts';

/** The panel tells the params of a roll-out to nobody, so this browser keeps those that it began itself. */
const KEPT = 'rollouts';
const MAX_KEPT = 20;

function all(): Record<string, Params> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Record<string, Params>;
  } catch {
    return {};
  }
}

/** Keeps what a roll-out was asked for, to begin another one like it. */
export function keepParams(id: string, params: Params): void {
  const entries = [...Object.entries(all()), [id, params] as const].slice(-MAX_KEPT);
  try {
    localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(entries)));
  } catch {
    // Without storage a person writes it again.
  }
}

/** What a roll-out was asked for; undefined where another browser began it. */
export function keptParams(id: string): Params | undefined {
  const kept = all();
  return Object.hasOwn(kept, id) ? kept[id] : undefined;
}
