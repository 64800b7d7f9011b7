import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SelfSigned } from './selfSigned.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const MANUAL = join(import.meta.dirname, '../../docs/install.md');

/** The lines of the manual that sign `app.deb` by `package.key`, whose certificate is `package.pem`. */
function linesOfTheManual(): string {
  const blocks = readFileSync(MANUAL, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
  const lines = [...blocks].map(([, block]) => block!).find((block) => block.includes('openssl cms -sign'));
  if (lines === undefined) throw new Error('docs/install.md does not say how to sign a package.');
  return lines;
}

/** Signs a package file, exactly as docs/install.md says. */
export function signDeb(path: string, { key, cert }: Pick<SelfSigned, 'key' | 'cert'>): void {
  const folder = temporaryFolder('sign');
  const deb = join(folder, 'app.deb');
  writeFileSync(join(folder, 'package.key'), key);
  writeFileSync(join(folder, 'package.pem'), cert);
  writeFileSync(deb, readFileSync(path));
  execFileSync('sh', ['-e', '-c', linesOfTheManual()], { cwd: folder, stdio: 'pipe' });
  writeFileSync(path, readFileSync(deb));
}

/** Appends a member to a package file (ar(5)). */
export function appendMember(path: string, name: string, content: Buffer | string): void {
  const bytes = Buffer.from(content);
  const padding = statSync(path).size % 2 === 1 ? '\n' : '';
  const numbers = ['0'.padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)].join('');
  const head = `${padding}${name.padEnd(16)}${numbers}${String(bytes.length).padEnd(10)}\`\n`;
  appendFileSync(path, Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
}

/** Why bundles cannot be made here, or false: `rauc` and `mksquashfs` do it. */
export const noRauc =
  !['/usr/bin/rauc', '/usr/bin/mksquashfs', '/usr/bin/openssl'].every(existsSync) &&
  'needs rauc, squashfs-tools and openssl';

interface BundleFacts {
  readonly version?: string;
  readonly compatible?: string;
  /** What the file for the slot holds. */
  readonly content?: Buffer;
  readonly format?: 'verity' | 'plain';
}

/** Makes a signed bundle as `npm run image` does, by RAUC itself. */
export function makeRaucBundle(
  path: string,
  { key, cert }: Pick<SelfSigned, 'key' | 'cert'>,
  facts: BundleFacts = {},
): void {
  const { version = '1.2.3', compatible = 'faceplate-amd64', format = 'verity' } = facts;
  const folder = temporaryFolder('rauc');
  const manifest = [
    ...['[update]', `compatible=${compatible}`, `version=${version}`, '[bundle]', `format=${format}`],
    ...['[image.rootfs]', 'filename=rootfs.ext4', ''],
  ];
  mkdirSync(join(folder, 'content'));
  writeFileSync(join(folder, 'content/manifest.raucm'), manifest.join('\n'));
  writeFileSync(join(folder, 'content/rootfs.ext4'), facts.content ?? Buffer.alloc(2_000_000, 'image '));
  writeFileSync(join(folder, 'key'), key);
  writeFileSync(join(folder, 'cert'), cert);
  rmSync(path, { force: true });
  // Not compressed, so that there is something to change.
  const squashfs = '--mksquashfs-args=-noD -noF -noI';
  const sign = [`--key=${join(folder, 'key')}`, `--cert=${join(folder, 'cert')}`];
  execFileSync('rauc', [...sign, squashfs, 'bundle', join(folder, 'content'), path], { stdio: 'pipe' });
}
