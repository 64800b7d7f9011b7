/** A block of shell lines of a guide, and what the guide says about it. */
export interface ShellBlock {
  readonly line: number;
  readonly text: string;
  /** The JSON block right below it: what the last line of its output must be. */
  readonly answer?: string;
  /** It starts the service, which runs until the guide ends. */
  readonly service: boolean;
  /** It ends only by Ctrl+C. */
  readonly endless: boolean;
  /** The call in it is refused. */
  readonly fails: boolean;
  /** A command of the contract without which it cannot work. */
  readonly needs?: string;
  /** Why it cannot be run in a test. */
  readonly notRun?: string;
}

const BLOCK = /^(?:<!-- test: (.+) -->\n)?```sh\n([\s\S]*?)^```$(?:\n\n```json\n([\s\S]*?)^```$)?/gm;

/**
 * The part of a page between the marks `guide: <name>` and `end of <name>`. The lines before it are empty, so that
 * its line numbers are those of the page.
 * @throws Error without the marks
 */
export function readGuide(page: string, name: string): string {
  const from = page.indexOf(`<!-- guide: ${name} -->`);
  const to = page.indexOf(`<!-- end of ${name} -->`);
  if (from < 0 || to < from) throw new Error(`A page has lost its marks "guide: ${name}".`);
  return '\n'.repeat(page.slice(0, from).split('\n').length - 1) + page.slice(from, to);
}

/**
 * The shell blocks of a guide in order. A comment above a block says how it is run, `; ` between several notes:
 * `service`, `endless`, `fails`, `with <command>`, `not run: <reason>`.
 * @throws Error for a note that is none of these
 */
export function readShellBlocks(guide: string): ShellBlock[] {
  return [...guide.matchAll(BLOCK)].map(({ index, 1: notes, 2: text, 3: answer }) => {
    const line = guide.slice(0, index).split('\n').length;
    const block = { line, text: text!, service: false, endless: false, fails: false };
    const said = (notes ?? '').split('; ').filter((note) => note !== '');
    return Object.assign(block, answer && { answer }, ...said.map((note) => readNote(note, line)));
  });
}

function readNote(note: string, line: number): Partial<ShellBlock> {
  if (note === 'service' || note === 'endless' || note === 'fails') return { [note]: true };
  const [, kind, rest] = /^(with|not run:) (.+)$/.exec(note) ?? [];
  if (kind === undefined) throw new Error(`line ${line}: "${note}" is no note for a test.`);
  return kind === 'with' ? { needs: rest! } : { notRun: rest! };
}

/** Differences between the answer that a guide shows and a real one; `"…"` means any value. */
export function differences(shown: unknown, real: unknown, place = 'the answer'): string[] {
  if (shown === '…') return real === undefined ? [`${place} is missing`] : [];
  if (isObject(shown) && isObject(real)) {
    const keys = new Set([...Object.keys(shown), ...Object.keys(real)]);
    return [...keys].flatMap((key) => differences(shown[key], real[key], `${place}.${key}`));
  }
  if (JSON.stringify(shown) === JSON.stringify(real)) return [];
  return [`${place} is ${JSON.stringify(real)}, the guide says ${JSON.stringify(shown)}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
