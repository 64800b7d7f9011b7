import type { Panel } from '../ports.ts';
import type { PanelEntry } from '../sipContract.ts';

/** Longest name that is shown, in characters. */
const LONGEST = 64;

/**
 * A stranger's name, made safe to show and store: one line, without control characters and without characters that
 * reverse or hide the text beside them (Unicode Cc, Cf, Zl, Zp, Cs, Co), at most 64 characters.
 */
export function cleanName(text: string): string {
  const line = text
    .slice(0, 1024)
    .replace(/[\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
  return Array.from(line).slice(0, LONGEST).join('');
}

/** Most panels: a network that invents them must not fill the memory or the page that lists them. */
const MAX_PANELS = 256;

/** The other panels that are present now. */
export class PanelList {
  readonly #panels = new Map<string, Panel>();

  /** @returns the entry to announce; undefined if it is already known, or if there are too many. */
  add(panel: Panel): PanelEntry | undefined {
    const before = this.#panels.get(panel.id);
    if (before === undefined && this.#panels.size >= MAX_PANELS) return undefined;
    const clean = { ...panel, name: cleanName(panel.name) || panel.host };
    this.#panels.set(panel.id, clean);
    const { name, host, port } = clean;
    const isSame = before?.name === name && before.host === host && before.port === port;
    return isSame ? undefined : { name, host, port };
  }

  /** @returns the name to announce; undefined if it was not known. */
  remove(id: string): string | undefined {
    const name = this.#panels.get(id)?.name;
    this.#panels.delete(id);
    return name;
  }

  list(): PanelEntry[] {
    return [...this.#panels.values()]
      .map(({ name, host, port }) => ({ name, host, port }))
      .sort((a, b) => a.name.localeCompare(b.name));
  }

  /** Name of the panel at an address, if there is exactly one. */
  nameOf(host: string): string | undefined {
    const [only, ...more] = [...this.#panels.values()].filter((panel) => panel.host === host);
    return more.length === 0 ? only?.name : undefined;
  }

  *hosts(): Iterable<string> {
    for (const { host } of this.#panels.values()) yield host;
  }

  clear(): void {
    this.#panels.clear();
  }
}
