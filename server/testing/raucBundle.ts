import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SelfSigned } from './selfSigned.ts';

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
  const folder = mkdtempSync(join(tmpdir(), 'faceplate-rauc-'));
  const manifest = [
    ...['[update]', `compatible=${compatible}`, `version=${version}`, '[bundle]', `format=${format}`],
    ...['[image.rootfs]', 'filename=rootfs.ext4', ''],
  ];
  try {
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
