import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { partitions } from '../build/image/boot/disk.ts';
import { cacheFolder, Toolbox } from '../build/image/toolbox.ts';
import { FILES } from '../build/panel/qemu.ts';
import { namesIn } from './diskImage.ts';
import { partitionAt } from './testShell.ts';

const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
const quiet = { stdio: 'pipe', encoding: 'utf8', env } as const;

/**
 * How the lines begin that fsck.fat 4.2 says of a partition that was mounted for writing. The dirty bit stands in the boot
 * sector alone, and the next check of the boot takes it away. Every other fault has a line of its own.
 */
const USUAL = [
  'fsck.fat ',
  'There are differences between boot sector and its backup.',
  'This is mostly harmless.',
  '  65:01/00',
  '  Not automatically fixing this.',
  'Dirty bit is set.',
  ' Automatically removing dirty bit.',
  'Leaving filesystem unchanged.',
  '/panel/boot: ',
];

/** The disk of a panel that is off, as its next boot finds it; the disk itself is not changed. */
export class PanelDisk implements Disposable {
  readonly #folder: string;
  readonly #work: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#work = join(folder, 'looked-at');
    rmSync(this.#work, { recursive: true, force: true });
    mkdirSync(this.#work);
  }

  /**
   * Mends the data partition as the boot does, by its journal, with the tools of the panel's own Debian: e2fsck 1.47.0 leaves
   * an orphan file behind that it calls unclean itself.
   * @returns what a second, whole look finds wrong; '' where it is clean
   * @throws ImageError where it cannot be mended
   */
  async data(): Promise<string> {
    this.#carve('data');
    // 1: the journal was played back.
    const mend = 'e2fsck -p "$0" >&2 || [ $? = 1 ] || exit 2';
    return this.#tool(`${mend}; words=$(e2fsck -f -n "$0") || echo "$words"`, 'data');
  }

  /** A file of the data partition, which `data` has looked at; undefined where it is missing. */
  read(path: string): string | undefined {
    const data = join(this.#work, 'data');
    const copy = join(this.#work, 'copy');
    rmSync(copy, { force: true });
    execFileSync('debugfs', ['-R', `dump ${path} ${copy}`, data], quiet);
    return existsSync(copy) ? execFileSync('cat', [copy], { encoding: 'utf8' }) : undefined;
  }

  /** The names in a folder of the data partition. */
  names(path: string): string[] {
    const said = execFileSync('debugfs', ['-R', `ls -p ${path}`, join(this.#work, 'data')], quiet);
    return namesIn(said);
  }

  /** What is wrong with the boot partition; '' where nothing is. */
  async boot(): Promise<string> {
    this.#carve('boot');
    const said = await this.#tool('words=$(fsck.vfat -n "$0") || echo "$words"', 'boot');
    const lines = said.split('\n').filter((line) => !USUAL.some((words) => line.startsWith(words)));
    return lines.join('\n').trim();
  }

  [Symbol.dispose](): void {
    rmSync(this.#work, { recursive: true, force: true });
  }

  /** Runs a script of the shell in the toolbox; $0 is what was carved. */
  #tool(script: string, name: string): Promise<string> {
    const folders = { '/panel': this.#work };
    return new Toolbox(cacheFolder()).run('sh', ['-c', script, `/panel/${name}`], { folders });
  }

  #carve(name: 'boot' | 'data'): string {
    const file = join(this.#work, name);
    const at = partitionAt(name);
    // `count` counts what is skipped too. The last partition goes to the end, as the first boot has grown it.
    const end = name === 'boot' ? [`count=${at + partitions[0]!.mib}`] : [];
    const from = [`if=${join(this.#folder, FILES.disk)}`, 'bs=1M', `skip=${at}`, ...end];
    execFileSync('qemu-img', ['dd', '-f', 'qcow2', '-O', 'raw', ...from, `of=${file}`]);
    return file;
  }
}
