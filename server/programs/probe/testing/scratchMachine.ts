import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';

/** A folder that holds /sys and /dev of a machine that is not there. */
export class ScratchMachine {
  readonly root = temporaryFolder('machine');

  /** @param files the text of each attribute, by its path; a text that begins with `-> ` is a link */
  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.root, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text.startsWith('-> ')) symlinkSync(join(this.root, text.slice('-> '.length)), file);
      else writeFileSync(file, text);
    }
  }
}
