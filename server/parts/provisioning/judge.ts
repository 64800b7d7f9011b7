import { type Provisioning, provisioning } from './contract.ts';

/** A file without a mistake, or all of its mistakes: each a line, none with a value of the file. */
export type Judged = { readonly wanted: Provisioning } | { readonly mistakes: readonly string[] };

/** Longest line, and most of them: what a stranger wrote stands in them. */
const LINE = 300;
const MOST = 100;

interface Around {
  /** What is wrong with a tree of settings. */
  settingsMistakes(tree: Readonly<Record<string, unknown>>): readonly string[];
  /** Whether a file lies beside this one. */
  has(name: string): boolean;
}

/** Judges the text of `faceplate.json`. */
export function judge(text: string, { settingsMistakes, has }: Around): Judged {
  let content: unknown;
  try {
    // Some editors put a mark at the beginning of what they write.
    content = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { mistakes: ['It is not valid JSON.'] };
  }
  const parsed = provisioning.safeParse(content);
  const mistakes = (parsed.error?.issues ?? []).flatMap(({ code, path, message, ...issue }) => {
    if (code !== 'unrecognized_keys') return [[...path, message].join(': ')];
    return (issue as unknown as { keys: string[] }).keys.map((key) => `${key}: there is no such key`);
  });
  const { settings, project } = (content ?? {}) as { settings?: unknown; project?: unknown };
  const name = provisioning.shape.project.safeParse(project).data;
  if (name !== undefined && !has(name)) mistakes.push('project: there is no such file beside faceplate.json');
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings))
    mistakes.push(...settingsMistakes(settings as Record<string, unknown>).map((one) => `settings: ${one}`));
  if (parsed.success && mistakes.length === 0) return { wanted: parsed.data };
  return { mistakes: mistakes.slice(0, MOST).map((line) => line.replaceAll(/\p{Cc}/gu, ' ').slice(0, LINE)) };
}
