import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeBundle } from '../../build/image/bundle.ts';
import { cacheFolder, Toolbox } from '../../build/image/toolbox.ts';
import { developersSigner, type Signer } from '../../build/packages/updateKeys.ts';
import { addTestShell, changeFiles } from '../testShell.ts';
import { panels, testedArch, testedImage } from './progress.ts';

interface Kind {
  readonly version: string;
  readonly arch?: string;
  readonly signer?: Signer;
  /** Commands of debugfs that break the root. */
  readonly breaks?: readonly string[];
}

const folder = join(panels, 'bundles');
const silent = () => {};

/** The bundle that `npm run image` made, as another version: signed by the developer's key, with the tests' shell. */
export async function bundleOf(name: string, kind: Kind): Promise<string> {
  const file = join(folder, `${name}.raucb`);
  if (existsSync(file)) return file;
  const toolbox = new Toolbox(cacheFolder(), 'amd64');
  const work = join(folder, 'work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  copySparse(await rootOf(toolbox), join(work, 'root.ext4'));
  const manifest = join(work, 'package.json');
  const place = join(work, 'root.ext4');
  changeFiles(place, [`dump /usr/lib/faceplate/package.json ${manifest}`]);
  const content = JSON.parse(readFileSync(manifest, 'utf8')) as object;
  writeFileSync(manifest, JSON.stringify({ ...content, version: kind.version }));
  changeFiles(place, [
    'rm /usr/lib/faceplate/package.json',
    `write ${manifest} /usr/lib/faceplate/package.json`,
    ...(kind.breaks ?? []),
  ]);
  await makeBundle({
    toolbox,
    work,
    version: kind.version,
    arch: kind.arch ?? testedArch,
    signer: kind.signer ?? developersSigner(silent),
    epoch: 0,
    isQuick: true,
  });
  renameSync(join(work, 'bundle.raucb'), file);
  rmSync(work, { recursive: true, force: true });
  return file;
}

/** The root file system of the image's own bundle, with the tests' shell. */
async function rootOf(toolbox: Toolbox): Promise<string> {
  const root = join(folder, 'root.ext4');
  if (existsSync(root)) return root;
  mkdirSync(folder, { recursive: true });
  const bundle = testedImage().replace(/\.img\.zst$/, '.raucb');
  const unpacked = join(folder, 'unpacked');
  rmSync(unpacked, { recursive: true, force: true });
  copyFileSync(bundle, join(folder, 'image.raucb'));
  const args = ['-n', '-q', '-d', '/bundles/unpacked', '/bundles/image.raucb', 'rootfs.ext4'];
  await toolbox.run('unsquashfs', args, { folders: { '/bundles': folder } });
  addTestShell(join(unpacked, 'rootfs.ext4'));
  copySparse(join(unpacked, 'rootfs.ext4'), root);
  for (const made of ['unpacked', 'image.raucb'])
    rmSync(join(folder, made), { recursive: true, force: true });
  return root;
}

/** Most of a file system is empty. */
function copySparse(from: string, to: string): void {
  execFileSync('cp', ['--sparse=always', from, to]);
}
