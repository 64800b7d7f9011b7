// `npm run image [-- amd64 arm64] [--version v] [--key f --certificate f] [--packages f] [--out dist]`: makes a disk image, an
// update bundle, and the lists that belong to them. docs/updates.md says what is in them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { addToChannel } from '../packages/updateChannel.ts';
import { certificateText, developersSigner, KeyError, namedSigner } from '../packages/updateKeys.ts';
import type { Architecture } from './architectures.ts';
import { ImageError, type ImageOptions, readArguments } from './arguments.ts';
import { makeDisk, makeFileSystems } from './boot/disk.ts';
import { makeBundle } from './bundle.ts';
import { mirrorsOfThisMachine } from './packages/aptSources.ts';
import { ownPackage } from './packages/ownPackage.ts';
import { packagesText, readPackagesText } from './packages/packages.ts';
import { programParts } from './packages/programParts.ts';
import { sbom } from './packages/sbom.ts';
import { step } from './progress.ts';
import { installRoot } from './root/debianTree.ts';
import { addModules } from './root/kernelModules.ts';
import { installedPackages, makePanel, nameVersion } from './root/rootTree.ts';
import { reportSizes } from './sizes.ts';
import { cacheFolder, Toolbox } from './toolbox.ts';

const project = join(import.meta.dirname, '../..');
const say = (line: string) => void process.stderr.write(`${line}\n`);

try {
  const options = readArguments(process.argv.slice(2));
  if (process.getuid?.() !== 0)
    throw new ImageError(
      'This command needs root, which alone can install a Debian in a folder: sudo npm run image',
    );
  for (const arch of options.architectures) await makeImage(arch, options);
} catch (error) {
  if (!(error instanceof ImageError) && !(error instanceof KeyError)) throw error;
  say(`\n${error.message}`);
  process.exitCode = 1;
}

async function makeImage(arch: Architecture, options: ImageOptions): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };
  const version = options.version ?? manifest.version;
  const out = resolve(options.out ?? join(project, 'dist'));
  const signer =
    options.signer === undefined
      ? developersSigner(say)
      : namedSigner(options.signer.key, options.signer.certificate);
  const certificate = certificateText(signer.certificate, version);
  const pinned = options.packages === undefined ? undefined : readPinned(options.packages);
  const cache = cacheFolder();
  const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? commitTime());
  const name = `faceplate-${version}-${arch}`;
  mkdirSync(out, { recursive: true });
  mkdirSync(cache, { recursive: true });

  const toolbox = new Toolbox(cache, arch);
  const mirrors = mirrorsOfThisMachine();
  if (toolbox.isMissing) await step('Toolbox, once on this machine', () => toolbox.make(mirrors));
  const deb = await ownPackage({ project, arch, version, out, signer });
  const work = mkdtempSync(join(cache, 'image-'));
  const clear = () => rmSync(work, { recursive: true, force: true, maxRetries: 10 });
  process.once('exit', clear);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  try {
    await installRoot({ toolbox, arch, mirrors, work, cache, deb, pinned, epoch });
    const installed = await installedPackages(toolbox, work);
    const npm = programParts(project, arch);
    await step('Modules of the virtual panel', () => addModules({ toolbox, arch, work, cache, installed }));
    await step('Files of the panel', () => makePanel({ toolbox, arch, work, certificate, epoch }));
    nameVersion(work, version);
    await step('File systems', () => makeFileSystems(toolbox, arch, work, epoch));
    await step('Disk', () => makeDisk(toolbox, work));
    const folders = { '/build': work, '/out': out };
    await step('Image, compressed', () =>
      toolbox.run(
        'zstd',
        ['-q', '-f', '-12', '--long=27', '-T0', '/build/disk.img', '-o', `/out/${name}.img.zst`],
        {
          folders,
        },
      ),
    );
    await step('Bundle, compressed and signed', () =>
      makeBundle({ toolbox, work, version, arch, signer, epoch }),
    );
    await toolbox.run('mv', ['/build/bundle.raucb', `/out/${name}.raucb`], { folders });
    await addToChannel(join(out, `${name}.raucb`), { version, board: `faceplate-${arch}` });
    writeFileSync(join(out, `${name}.packages.txt`), packagesText(installed));
    writeFileSync(join(out, `${name}.cdx.json`), sbom({ version, arch, debian: installed, npm, epoch }));
    await reportSizes(toolbox, work, join(out, name), say);
    for (const ending of ['img.zst', 'raucb', 'cdx.json', 'packages.txt'])
      console.log(relative(process.cwd(), join(out, `${name}.${ending}`)));
    console.log(relative(process.cwd(), join(out, 'channel.json')));
  } finally {
    process.off('exit', clear);
    clear();
  }
}

function readPinned(file: string) {
  try {
    return readPackagesText(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ImageError(`${file} cannot be taken: ${(error as Error).message}`);
  }
}

/** Seconds since 1970 of the last commit, so that the same sources make the same image. */
function commitTime(): string {
  try {
    const args = ['log', '-1', '--format=%ct'];
    return execFileSync('git', args, {
      cwd: project,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '1767225600';
  }
}
