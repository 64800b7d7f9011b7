import { parseArgs } from 'node:util';
import { ARCHITECTURES, type Architecture, architectureOf } from '../image/architectures.ts';

/** What `npm run panel` was asked for. */
export interface PanelOptions {
  readonly arch: Architecture;
  /** The image that a new panel is made from; undefined: the newest in `dist`. */
  readonly image: string | undefined;
  /** A plain Debian with the newest package in `dist`, instead of the image. */
  readonly isPackage: boolean;
  /** Folder of the panel; undefined: that of the architecture, and of what is on it. */
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

const USAGE = `npm run panel [-- --arch amd64|arm64] [--image file | --package] [--dir folder] [--headless]
npm run panel -- screenshot <file.png> [--arch amd64|arm64 | --package] [--dir folder]
npm run panel -- cut [--arch amd64|arm64 | --package] [--dir folder]`;

/** Reads the arguments of `npm run panel`. @throws PanelError with what is wrong with them */
export function readArguments(args: readonly string[]): PanelOptions {
  const { values, positionals } = parse(args);
  const { arch: name = 'amd64', image, dir: folder, headless: isHeadless = false } = values;
  const { package: isPackage = false } = values;
  const arch = architectureOf(name);
  if (arch === undefined)
    throw new PanelError(`There is no virtual panel for ${name}: ${ARCHITECTURES.join(' or ')}.`);
  if (isPackage && image !== undefined)
    throw new PanelError('--image and --package are two kinds of panels: give one of them.');
  if (isPackage && arch !== 'amd64') throw new PanelError('A plain Debian is made for amd64 alone.');
  return { arch, image, isPackage, folder, isHeadless, task: readTask(positionals) };
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
  const flag = { type: 'boolean' } as const;
  const options = { arch: text, image: text, package: flag, dir: text, headless: flag } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new PanelError(`${(error as Error).message}\n\n${USAGE}`);
  }
}
