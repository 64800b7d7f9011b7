import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { EXIT, UsageError } from '../failures.ts';
import type { Verb } from '../verb.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Tells the editor that the scripts are checked, and that they run in a browser. */
const EDITOR = {
  compilerOptions: { checkJs: true, strict: true, noEmit: true, target: 'es2024', lib: ['es2024', 'dom'] },
};

export const create: Verb = {
  name: 'create',
  usage: '<folder>',
  summary: 'Make a blank page project with the types of window.container',
  options: [],
  async run({ words: [folder, more], options, terminal }) {
    if (folder === undefined || more !== undefined) throw new UsageError('Give the one folder to make.');
    try {
      await mkdir(folder, { recursive: true });
      if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty.`);
      await cp(join(ROOT, 'docs/examples/blank'), folder, { recursive: true });
      await cp(join(ROOT, 'preload/container.d.ts'), join(folder, 'container.d.ts'));
      await writeFile(join(folder, 'jsconfig.json'), `${JSON.stringify(EDITOR, null, 2)}\n`);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`The folder cannot be made: ${(error as Error).message}.`);
    }
    const files = (await readdir(folder)).sort();
    if (options.json) terminal.out(`${JSON.stringify({ folder, files })}\n`);
    else
      terminal.out(
        `${files.map((file) => join(folder, file)).join('\n')}\n\nNow: faceplate push ${relative('.', folder) || '.'} --watch\n`,
      );
    return EXIT.done;
  },
};
