import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { EXIT, UsageError } from '../failures.ts';
import type { Verb } from '../verb.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Folder of the types in a project with a build tool. */
const TYPES = 'faceplate-types';
const TYPES_PACKAGE = '@faceplate/types';

/** The examples that each kind of project is made of. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  plain: ['blank'],
  vite: ['bundled', 'vite'],
  react: ['bundled', 'react'],
};

/** Tells the editor that the scripts are checked, and that they run in a browser. */
const EDITOR = {
  compilerOptions: { checkJs: true, strict: true, noEmit: true, target: 'es2024', lib: ['es2024', 'dom'] },
};

export const create: Verb = {
  name: 'create',
  usage: '<folder> [--template <kind>]',
  summary: 'Make a page project with the types of window.container: plain, vite or react',
  options: ['template'],
  async run({ words: [folder, more], options, terminal }) {
    if (folder === undefined || more !== undefined) throw new UsageError('Give the one folder to make.');
    const { template = 'plain' } = options;
    const examples = Object.hasOwn(TEMPLATES, template) ? TEMPLATES[template]! : undefined;
    if (examples === undefined)
      throw new UsageError(`--template is ${Object.keys(TEMPLATES).join(', ')}, not "${template}".`);
    try {
      await mkdir(folder, { recursive: true });
      if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty.`);
      for (const example of examples)
        await cp(join(ROOT, 'docs/examples', example), folder, { recursive: true });
      if (template === 'plain') await finishPlain(folder);
      else await finishBundled(folder);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`The folder cannot be made: ${(error as Error).message}.`);
    }
    const files = (await readdir(folder)).sort();
    const place = relative('.', folder) || '.';
    const next =
      template === 'plain' ? `faceplate push ${place} --watch` : `cd ${place} && npm install && npm run dev`;
    if (options.json) terminal.out(`${JSON.stringify({ folder, files })}\n`);
    else terminal.out(`${files.map((file) => join(folder, file)).join('\n')}\n\nNow: ${next}\n`);
    return EXIT.done;
  },
};

async function finishPlain(folder: string): Promise<void> {
  await cp(join(ROOT, 'preload/container.d.ts'), join(folder, 'container.d.ts'));
  await writeFile(join(folder, 'jsconfig.json'), `${JSON.stringify(EDITOR, null, 2)}\n`);
}

/** Its types, style and names; a `.gitignore` among the examples would hide files of ours. */
async function finishBundled(folder: string): Promise<void> {
  await rename(join(folder, 'gitignore'), join(folder, '.gitignore'));
  await cp(join(ROOT, 'docs/examples/blank/style.css'), join(folder, 'src/style.css'));
  await cp(join(ROOT, 'docs/examples/types'), join(folder, TYPES), { recursive: true });
  await cp(join(ROOT, 'preload/container.d.ts'), join(folder, TYPES, 'container.d.ts'));
  const manifest = join(folder, 'package.json');
  const { dependencies, ...others } = JSON.parse(await readFile(manifest, 'utf8')) as Record<string, object>;
  const whole = {
    name: packageNameFor(basename(resolve(folder))),
    ...others,
    config: { faceplate: relative(folder, join(ROOT, 'build/setup/faceplate.mjs')) },
    dependencies: { [TYPES_PACKAGE]: `file:${TYPES}`, ...dependencies },
  };
  await writeFile(manifest, `${JSON.stringify(whole, null, 2)}\n`);
}

/** A name that npm takes: small letters, digits and hyphens. */
function packageNameFor(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'my-panel';
}
