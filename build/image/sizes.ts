import { statSync } from 'node:fs';
import type { Toolbox } from './toolbox.ts';

const MIB = 1024 * 1024;
/** The goals, in MiB. */
export const GOALS = { image: 450, root: 1536, bundle: 450 } as const;

/** Reads what `dumpe2fs -h` says: the MiB that a file system holds. */
export function usedMiB(said: string): number {
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)$`, 'm').exec(said)?.[1]);
  return ((field('Block count') - field('Free blocks')) * field('Block size')) / MIB;
}

/** Says how large image, root and bundle are, and whether that keeps to the goals. */
export async function reportSizes(
  toolbox: Toolbox,
  work: string,
  name: string,
  say: (line: string) => void,
): Promise<void> {
  const folders = { '/build': work };
  const root = await toolbox.run('dumpe2fs', ['-h', '/build/bundle/rootfs.ext4'], { folders });
  const sizes = {
    image: statSync(`${name}.img.zst`).size / MIB,
    root: usedMiB(root),
    bundle: statSync(`${name}.raucb`).size / MIB,
  };
  for (const [part, goal] of Object.entries(GOALS)) {
    const size = Math.ceil(sizes[part as keyof typeof GOALS]);
    say(`${part.padEnd(8)} ${String(size).padStart(5)} MiB of ${goal}${size > goal ? ': too large' : ''}`);
  }
}
