import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's name first; Ubuntu's `chromium-browser` last, as it may be a snap that cannot reach our profile folder. */
const NAMES = ['chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser'];

/** Finds the system's Chromium in the folders of `path`. @returns its path, or undefined when there is none. */
export function findChromium(path: string = process.env.PATH ?? ''): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  for (const name of NAMES) {
    const found = folders.map((folder) => join(folder, name)).find(isProgram);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
