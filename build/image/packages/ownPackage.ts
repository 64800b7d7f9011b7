import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Signer } from '../../packages/updateKeys.ts';
import { newest } from '../../setup/machine/stalePages.mjs';
import { step } from '../progress.ts';

/** What the package is made from. */
const SOURCES = [
  ...['server', 'preload', 'renderer-demo', 'build/debian', 'build/linux'],
  ...['build/bundle/bundle.ts', 'build/packages/dist.ts', 'package.json', 'package-lock.json'],
];

interface PackageOptions {
  /** Folder of package.json. */
  readonly project: string;
  /** Debian's name of the machine. */
  readonly arch: string;
  readonly version: string;
  /** Folder that a missing package is made in. */
  readonly out: string;
  /** What signs a missing package: the key of all else that is made with it. */
  readonly signer: Signer;
}

/** The Debian package of `npm run dist`, made where it is missing or older than its sources. @returns its file */
export async function ownPackage(options: PackageOptions): Promise<string> {
  const { project, arch, version, out, signer } = options;
  const name = `faceplate_${version}_${arch}.deb`;
  const isOfTheseSources = (deb: string) => {
    if (!existsSync(deb)) return false;
    const { mtimeMs } = statSync(deb);
    return SOURCES.every((source) => newest(join(project, source)) < mtimeMs);
  };
  const deb = [out, join(project, 'dist')].map((folder) => join(folder, name)).find(isOfTheseSources);
  if (deb !== undefined) return deb;
  await step('Debian package', async () => {
    const script = ['--disable-warning=ExperimentalWarning', join(project, 'build/packages/dist.ts')];
    const args = [arch, '--version', version, '--out', out];
    args.push('--key', signer.key, '--certificate', signer.certificate);
    execFileSync(process.execPath, [...script, ...args], {
      cwd: project,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
  return join(out, name);
}
