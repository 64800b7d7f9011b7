import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, Toolbox } from '../build/image/toolbox.ts';

/** A partition of a disk image, with its place in bytes. */
interface Partition {
  readonly name: string;
  readonly type: string;
  readonly start: number;
  readonly size: number;
}

/** What `stat` of debugfs says of a file. */
interface FileFacts {
  readonly type: string;
  /** Permission bits. */
  readonly mode: number;
  readonly user: number;
  readonly group: number;
  /** Where a link leads; undefined for other files. */
  readonly target: string | undefined;
}

/** A disk image as a file, looked at without mounting it. */
export class DiskImage {
  readonly #toolbox: Toolbox;
  readonly #folder: string;
  #partitions: Partition[] | undefined;
  readonly #carved = new Set<string>();

  /** @param folder holds the image as `disk.img` @param cache where the toolbox is */
  constructor(folder: string, cache: string) {
    this.#folder = folder;
    this.#toolbox = new Toolbox(cache);
  }

  /** Runs a program of the toolbox; the folder of the image is /image there. */
  run(program: string, ...args: readonly string[]): Promise<string> {
    return this.#toolbox.run(program, args, { folders: { '/image': this.#folder } });
  }

  async partitions(): Promise<readonly Partition[]> {
    if (this.#partitions !== undefined) return this.#partitions;
    const { partitiontable } = JSON.parse(await this.run('sfdisk', '--json', '/image/disk.img')) as {
      partitiontable: {
        label: string;
        partitions: { name: string; type: string; start: number; size: number }[];
      };
    };
    if (partitiontable.label !== 'gpt') throw new Error(`The table is ${partitiontable.label}, not GPT.`);
    const found = partitiontable.partitions;
    this.#partitions = found.map(({ start, size, ...rest }) => ({
      ...rest,
      start: start * 512,
      size: size * 512,
    }));
    return this.#partitions;
  }

  /** A partition as a file of its own, for the tools of ext4. */
  async place(partition: string): Promise<string> {
    const file = `/image/${partition}.img`;
    if (this.#carved.has(partition)) return file;
    const { start, size } = (await this.partitions()).find(({ name }) => name === partition)!;
    const from = [`skip=${start}`, `count=${size}`, 'iflag=skip_bytes,count_bytes'];
    const to = [`of=${file}`, 'bs=1M', 'conv=sparse', 'status=none'];
    await this.run('dd', 'if=/image/disk.img', ...from, ...to);
    await this.run('truncate', '-s', String(size), file);
    this.#carved.add(partition);
    return file;
  }

  /** A file of the boot partition. */
  async boot(path: string): Promise<string> {
    const { start } = (await this.partitions()).find(({ name }) => name === 'boot')!;
    return this.run('mtype', '-i', `/image/disk.img@@${start}`, `::${path}`);
  }

  /** The text of a file of slot A. @throws Error where it is missing */
  async text(path: string): Promise<string> {
    await this.facts(path);
    return this.#debugfs(`cat ${path}`);
  }

  /** The names in a folder of slot A, without those of itself and its parent. */
  async names(path: string): Promise<string[]> {
    await this.facts(path);
    return namesIn(await this.#debugfs(`ls -p ${path}`));
  }

  /** Whether slot A has such a file. */
  async has(path: string): Promise<boolean> {
    return /^Inode:/.test(await this.#debugfs(`stat ${path}`));
  }

  /** @throws Error where slot A has no such file */
  async facts(path: string): Promise<FileFacts> {
    const said = await this.#debugfs(`stat ${path}`);
    const head = /Type: (\S+)\s+Mode:\s+(\d+)/.exec(said);
    const owner = /User:\s+(\d+)\s+Group:\s+(\d+)/.exec(said);
    if (head === null || owner === null) throw new Error(`Slot A has no ${path}.`);
    return {
      type: head[1]!,
      mode: Number.parseInt(head[2]!, 8),
      user: Number(owner[1]),
      group: Number(owner[2]),
      target: /^Fast link dest: "(.*)"$/m.exec(said)?.[1],
    };
  }

  async #debugfs(request: string): Promise<string> {
    return this.run('debugfs', '-R', request, await this.place('root-a'));
  }
}

/** The names in what debugfs says to `ls -p`, without those of the folder itself and its parent. */
export function namesIn(said: string): string[] {
  const lines = said.split('\n').filter((line) => line.startsWith('/'));
  return lines.map((line) => line.split('/')[5]!).filter((name) => !['.', '..', ''].includes(name));
}

/** Runs the command, in `work`; where IMAGE_DIR names a folder, what it made before is taken. @returns the folder */
export function makeImage(work: string): string {
  if (process.env.IMAGE_DIR !== undefined) return process.env.IMAGE_DIR;
  const out = join(work, 'out');
  const env = { ...process.env, XDG_CONFIG_HOME: join(work, 'config') };
  execFileSync('npm', ['run', '--silent', 'image', '--', '--out', out], {
    cwd: join(import.meta.dirname, '..'),
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return out;
}

/** Unpacks an image into an empty folder. */
export function unpackImage(packed: string, folder: string): DiskImage {
  mkdirSync(folder);
  execFileSync('zstd', ['-q', '-d', '--sparse', packed, '-o', join(folder, 'disk.img')]);
  return new DiskImage(folder, cacheFolder());
}
