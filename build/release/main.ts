// `npm run release [-- --version v] [--key f --certificate f] [--out release] [--only deb,image,…]`: makes everything of a
// version into one folder, so that a person only has to publish it. docs/contributing.md says more.
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { step } from '../image/progress.ts';
import { projectFacts, sourceTime } from '../packages/projectFacts.ts';
import { developersSigner, KeyError, namedSigner, type Signer } from '../packages/updateKeys.ts';
import { ReleaseError, type ReleaseOptions, readArguments } from './arguments.ts';
import { historyOf } from './changelog.ts';
import { contentsText, describing } from './contents.ts';
import { CONTENTS, filesOf, ReleaseFolder } from './folder.ts';
import { parts } from './parts.ts';

const root = join(import.meta.dirname, '../..');
const say = (line: string) => void process.stderr.write(`${line}\n`);

try {
  await makeRelease(readArguments(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof ReleaseError) && !(error instanceof KeyError)) throw error;
  say(`\n${error.message}`);
  process.exitCode = 1;
}

async function makeRelease(options: ReleaseOptions): Promise<void> {
  const { only } = options;
  if (only.includes('image') && process.getuid?.() !== 0)
    throw new ReleaseError(
      'The image needs root, which alone can install a Debian in a folder: sudo npm run release, or name the other parts by --only.',
    );
  const facts = projectFacts(root);
  const version = options.version ?? facts.version;
  const out = resolve(options.out);
  const signer = signerOf(options);
  const folder = new ReleaseFolder(out);
  folder.begin();
  const release = { root, folder: folder.path, version, facts, signer, epoch: sourceTime(root) };
  for (const name of only) {
    const { title, make } = parts[name];
    try {
      await step(title, () => make(release));
    } catch (error) {
      throw new ReleaseError(
        `The part ${name} failed: ${(error as Error).message.trim().replace(/\.$/, '')}. Nothing is released; what was made until then is in ` +
          `${relative(process.cwd(), folder.path)}. Mend it and run the command again.`,
      );
    }
  }
  const names = filesOf(folder.path).map(({ name }) => name);
  writeFileSync(join(folder.path, CONTENTS), contentsText(version, names));
  await step('Sums and signature', () => folder.finish(signer));
  for (const { name, size } of filesOf(out)) {
    const mib = describing.includes(name) ? '' : `  ${(size / 2 ** 20).toFixed(1)} MiB`;
    console.log(`${relative(process.cwd(), join(out, name))}${mib}`);
  }
  for (const sentence of doubts(facts.maintainer)) say(sentence);
}

function signerOf({ signer }: ReleaseOptions): Signer {
  return signer === undefined ? developersSigner(say) : namedSigner(signer.key, signer.certificate);
}

/** What a person should look at before the folder is published. */
function doubts(maintainer: string): string[] {
  const found: string[] = [];
  if (/@localhost>$/.test(maintainer))
    found.push(`Before you publish: package.json says "author": "${maintainer}". Put a real address there.`);
  if (historyOf(root).isChanged)
    found.push('Before you publish: some sources have changes that are in no commit.');
  return found;
}
