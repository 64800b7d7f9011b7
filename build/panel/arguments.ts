import { parseArgs } from 'node:util';
import { ARCHITECTURES, type Architecture, architectureOf } from '../image/architectures.ts';

/** What `npm run panel` was asked for. */
export interface PanelOptions {
  readonly arch: Architecture;
  /** The image that a new panel is made from; undefined: the newest in `dist`. */
  readonly image: string | undefined;
  /** Folder of the panel; undefined: that of the architecture. */
  readonly folder: string | undefined;
  /** Neither a window nor VNC. */
  readonly isHeadless: boolean;
  readonly task:
    | { readonly kind: 'run' }
    | { readonly kind: 'cut' }
    | { readonly kind: 'screenshot'; readonly file: string };
}

/** A sentence for the person at the keyboard. */
export class PanelError extends Error {}

const USAGE = `npm run panel [-- --arch amd64|arm64] [--image file] [--dir folder] [--headless]
npm run panel -- screenshot <file.png> [--arch amd64|arm64] [--dir folder]
npm run panel -- cut [--arch amd64|arm64] [--dir folder]`;

/** Reads the arguments of `npm run panel`. @throws PanelError with what is wrong with them */
export function readArguments(args: readonly string[]): PanelOptions {
  const { values, positionals } = parse(args);
  const { arch: name = 'amd64', image, dir: folder, headless: isHeadless = false } = values;
  const arch = architectureOf(name);
  if (arch === undefined)
    throw new PanelError(`There is no virtual panel for ${name}: ${ARCHITECTURES.join(' or ')}.`);
  return { arch, image, folder, isHeadless, task: readTask(positionals) };
}

function readTask(words: readonly string[]): PanelOptions['task'] {
  const [word, file, ...rest] = words;
  if (word === undefined) return { kind: 'run' };
  if (word === 'cut' && file === undefined) return { kind: 'cut' };
  if (word === 'screenshot' && file !== undefined && rest.length === 0) return { kind: 'screenshot', file };
  throw new PanelError(`"${words.join(' ')}" is none of its tasks:\n\n${USAGE}`);
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { arch: text, image: text, dir: text, headless: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new PanelError(`${(error as Error).message}\n\n${USAGE}`);
  }
}
