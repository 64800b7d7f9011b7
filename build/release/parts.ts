import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Arch, debianArchitectures } from '../debian/packageTree.ts';
import type { ProjectFacts } from '../packages/projectFacts.ts';
import type { Signer } from '../packages/updateKeys.ts';
import type { PartName } from './arguments.ts';
import { changelogText, historyOf } from './changelog.ts';
import { makeClientPackage, makeTypesPackage } from './clientPackage.ts';
import { packageSbom } from './packageSbom.ts';

/** What every part is made from. */
export interface Release {
  /** Folder of package.json. */
  readonly root: string;
  /** Folder that the files go to. */
  readonly folder: string;
  readonly version: string;
  readonly facts: ProjectFacts;
  readonly signer: Signer;
  /** Time of the files, in seconds since 1970. */
  readonly epoch: number;
}

interface Part {
  readonly title: string;
  make(release: Release): Promise<void>;
}

const machines = Object.keys(debianArchitectures) as Arch[];
const architectures = Object.values(debianArchitectures);

/** How each part is made. */
export const parts: Readonly<Record<PartName, Part>> = {
  changelog: {
    title: 'Changelog',
    async make({ root, folder, version, epoch }) {
      writeFileSync(join(folder, 'CHANGELOG.md'), changelogText(version, epoch, historyOf(root)));
    },
  },
  docs: {
    title: 'Documentation',
    async make({ root, folder, version, epoch }) {
      const name = `faceplate-${version}-docs`;
      await script(root, 'build/docs/main.ts', ['build', join(folder, name)]);
      // Order, times and owners are fixed, and gzip -n writes no time: the same pages make the same file.
      const fixed = ['--sort=name', `--mtime=@${epoch}`, '--owner=0', '--group=0', '--numeric-owner'];
      const pack = ['--use-compress-program=gzip -n -9', '-cf', `${name}.tar.gz`, name];
      await runOrSay('tar', [...fixed, '--mode=u+rwX,go+rX,go-w', ...pack], folder);
      rmSync(join(folder, name), { recursive: true });
    },
  },
  client: {
    title: 'Client package, and the types of pages',
    async make({ root, folder, version, facts }) {
      await makeClientPackage(root, join(folder, 'client'), { version, facts, out: folder });
      await makeTypesPackage(root, join(folder, 'types'), { version, facts, out: folder });
    },
  },
  sbom: {
    title: 'Bills of materials of the packages',
    async make({ root, folder, version, epoch }) {
      for (const arch of machines) {
        const file = `faceplate_${version}_${debianArchitectures[arch]}.deb.cdx.json`;
        writeFileSync(join(folder, file), packageSbom(root, arch, version, epoch));
      }
    },
  },
  deb: {
    title: 'Debian packages',
    async make(release) {
      await script(release.root, 'build/packages/dist.ts', [...architectures, ...given(release)]);
    },
  },
  image: {
    title: 'Disk images and bundles',
    async make(release) {
      await script(release.root, 'build/image/main.ts', [...architectures, ...given(release)]);
    },
  },
};

function given({ folder, version, signer }: Release): string[] {
  const { key, certificate } = signer;
  return ['--version', version, '--key', key, '--certificate', certificate, '--out', folder];
}

function script(root: string, file: string, args: readonly string[]): Promise<void> {
  const all = ['--disable-warning=ExperimentalWarning', join(root, file), ...args];
  return runOrSay(process.execPath, all, root);
}

/** Runs a program whose own words go to standard error. @throws Error with how it ended */
async function runOrSay(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 2, 2] });
  // An interrupt reaches the whole group; a signal to this process alone must end the part too.
  const end = () => child.kill('SIGTERM');
  process.once('SIGTERM', end);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code !== 0) throw new Error(`it ended with ${signal ?? `status ${code}`}; its words stand above`);
  } finally {
    process.off('SIGTERM', end);
  }
}
