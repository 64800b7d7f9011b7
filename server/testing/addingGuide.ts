import { readFileSync } from 'node:fs';

/** What docs/adding.md says about one file. */
export interface Step {
  /** Path from the root, with the name of the example. */
  readonly path: string;
  readonly kind: 'new' | 'edited' | 'generated';
  /** The whole text of a new file. */
  readonly text: string;
  /** The changes of an existing file. */
  readonly hunks: readonly Hunk[];
}

/** Lines of a file, and what replaces them. */
interface Hunk {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** One of the lists: its files in order, and the other files it names. */
interface Guide {
  readonly steps: readonly Step[];
  /** Files that only some parts, commands or settings need. */
  readonly furtherPaths: readonly string[];
}

const KINDS = { 'new ': 'new', 'generated ': 'generated', '': 'edited' } as const;

/**
 * Reads the section `## Add a …` of docs/adding.md: its list and the code of its example.
 * @throws Error when the list and the example do not name the same files in the same order
 */
export function readGuide(file: string, title: string): Guide {
  const section = readFileSync(file, 'utf8')
    .split(/^(?=## )/m)
    .find((text) => text.startsWith(`## ${title}\n`));
  const [, list = '', name = '', example = ''] =
    /^([\s\S]*?)^### Example: `(.*)`\n([\s\S]*)$/m.exec(section ?? '') ?? [];
  const rows = [...list.matchAll(/^\d+\. (new |generated |)`([^`]+)`/gm)].map(([, kind, path]) => ({
    kind: KINDS[kind as keyof typeof KINDS],
    path: path!.replaceAll('<part>', name),
  }));
  const code = new Map(
    [...example.matchAll(/^#### `(.+)`\n\n```(\w+)\n([\s\S]*?)^```$/gm)].map(([, path, , text]) => [
      path!,
      text!,
    ]),
  );
  const listed = rows.filter(({ kind }) => kind !== 'generated').map(({ path }) => path);
  if (rows.length === 0 || listed.join('\n') !== [...code.keys()].join('\n'))
    throw new Error(
      `"${title}" lists\n${listed.join('\n')}\nand its example changes\n${[...code.keys()].join('\n')}`,
    );
  const steps = rows.map(({ kind, path }) => {
    const text = code.get(path) ?? '';
    return { kind, path, text, hunks: kind === 'edited' ? hunksOf(text) : [] };
  });
  const further = list.slice(list.search(/^Where the \w+ needs it:$/m));
  return { steps, furtherPaths: [...further.matchAll(/`([\w.-]+\/[\w./-]+)`/g)].map(([, path]) => path!) };
}

/** The hunks of a diff, which `@@` separates. */
function hunksOf(diff: string): Hunk[] {
  return diff
    .trimEnd()
    .split(/^@@\n/m)
    .map((hunk) => {
      const lines = hunk.replace(/\n$/, '').split('\n');
      const without = (mark: string) =>
        lines.filter((line) => !line.startsWith(mark)).map((line) => line.slice(1));
      return { before: without('+'), after: without('-') };
    });
}

/** Replaces the lines of a hunk. @throws Error unless the text contains them exactly once */
export function applyHunk(path: string, text: string, { before, after }: Hunk): string {
  const pieces = `\n${text}`.split(`\n${before.join('\n')}\n`);
  if (pieces.length !== 2)
    throw new Error(
      `docs/adding.md changes these lines of ${path}, and they stand there ${pieces.length - 1} times:\n${before.join('\n')}`,
    );
  return pieces.join(`\n${after.join('\n')}\n`).slice(1);
}
