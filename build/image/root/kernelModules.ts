import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../architectures.ts';
import { ImageError } from '../arguments.ts';
import type { InstalledPackage } from '../packages/packages.ts';
import type { Toolbox } from '../toolbox.ts';

const SOURCES = join(import.meta.dirname, '../modules');
/** The virtual hardware of `npm run panel` that Debian's kernels do not have: lines of gpio-sim, LEDs of uleds. */
const MODULES = ['gpio-sim.ko', 'uleds.ko'];

interface ModulesOptions {
  readonly toolbox: Toolbox;
  readonly arch: Architecture;
  /** Folder of this build; the tree of the image is its `root`. */
  readonly work: string;
  /** Cache between builds. */
  readonly cache: string;
  readonly installed: readonly InstalledPackage[];
}

/** The kernel of an image, as `uname -r` says, and the version of its package. @throws ImageError where there is none */
export function kernelOf(installed: readonly InstalledPackage[]): { kernel: string; version: string } {
  const found = installed.find(({ name }) => /^linux-image-\d/.test(name));
  if (found === undefined) throw new ImageError('The image has no kernel.');
  return { kernel: found.name.slice('linux-image-'.length), version: found.version };
}

/**
 * Builds the modules from the source of the image's own kernel, once for each of its versions, and puts them into the
 * image. Nothing loads them but faceplate-virtual.service.
 */
export async function addModules({ toolbox, arch, work, cache, installed }: ModulesOptions): Promise<void> {
  const { kernel, version } = kernelOf(installed);
  const kept = join(cache, 'modules', `${version}-${arch}`);
  if (!MODULES.every((name) => existsSync(join(kept, name)))) {
    const folder = join(work, 'modules');
    cpSync(SOURCES, folder, { recursive: true });
    const args = [kernel, version, '/modules', arch];
    await toolbox.run('/modules/build', args, { folders: { '/modules': folder } });
    rmSync(`${kept}.new`, { recursive: true, force: true });
    mkdirSync(`${kept}.new`, { recursive: true });
    for (const name of MODULES) copyFileSync(join(folder, name), join(`${kept}.new`, name));
    rmSync(kept, { recursive: true, force: true });
    renameSync(`${kept}.new`, kept);
    rmSync(folder, { recursive: true });
  }
  const place = join(work, 'root/usr/lib/modules', kernel, 'updates');
  mkdirSync(place, { recursive: true });
  for (const name of readdirSync(kept)) copyFileSync(join(kept, name), join(place, name));
}
