// `npm run dist [-- amd64 arm64] [--version v] [--key f --certificate f] [--out dist]`: makes
// dist/faceplate_<version>_<arch>.deb, for this kind of machine where none is named, signs it, and lists it in channel.json.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Arch, debianArchitectures, makePackageTree } from '../debian/packageTree.ts';
import { packTree } from '../debian/packTree.ts';
import { signPackage } from '../debian/signPackage.ts';
import { projectFacts, sourceTime, VERSION } from './projectFacts.ts';
import { addToChannel } from './updateChannel.ts';
import { developersSigner, namedSigner, type Signer } from './updateKeys.ts';

const root = join(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    fast: { type: 'boolean', default: false },
    version: { type: 'string' },
    key: { type: 'string' },
    certificate: { type: 'string' },
  },
});
const wanted = positionals.length > 0 ? positionals : [debianArchitectures[process.arch as Arch]];
const version = values.version ?? projectFacts(root).version;
if (!VERSION.test(version)) throw new Error(`--version ${version} is no version like 1.2.3 or 1.2.3-rc.1.`);
const signer = chosenSigner();
const epoch = sourceTime(root);

for (const architecture of wanted) {
  const arch = (Object.keys(debianArchitectures) as Arch[]).find(
    (name) => debianArchitectures[name] === architecture,
  );
  if (arch === undefined) throw new Error(`There is no package for ${architecture}: amd64 or arm64.`);
  const work = mkdtempSync(join(tmpdir(), 'faceplate-dist-'));
  try {
    const tree = join(work, 'tree');
    mkdirSync(tree);
    await makePackageTree({ root, tree, cache: join(work, 'cache'), arch, version, epoch });
    mkdirSync(values.out, { recursive: true });
    const file = join(resolve(values.out), `faceplate_${version}_${architecture}.deb`);
    await packTree(tree, file, { epoch, isFast: values.fast, finish: (made) => signPackage(made, signer) });
    await addToChannel(file, { version, board: `debian-${architecture}` });
    console.log(relative(process.cwd(), file));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

console.log(`Signed for panels that trust ${signer.certificate}.`);

function chosenSigner(): Signer {
  const { key, certificate } = values;
  if (key !== undefined && certificate !== undefined) return namedSigner(key, certificate);
  if (key !== undefined || certificate !== undefined)
    throw new Error('--key and --certificate belong together.');
  return developersSigner((line) => console.log(line));
}
