import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { partitions } from '../build/image/disk.ts';
import { FILES } from '../build/panel/qemu.ts';
import { namesIn } from './diskImage.ts';
import { partitionAt } from './testShell.ts';

const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
const quiet = { stdio: 'pipe', encoding: 'utf8', env } as const;

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
   * Mends the data partition as the boot does, by its journal.
   * @returns what a second, whole look finds wrong; '' where it is clean
   */
  data(): string {
    const file = this.#carve('data');
    try {
      execFileSync('e2fsck', ['-p', file], quiet);
    } catch (error) {
      // 1: the journal was played back.
      if ((error as { status: number }).status !== 1) throw error;
    }
    try {
      execFileSync('e2fsck', ['-f', '-n', file], quiet);
      return '';
    } catch (error) {
      return String((error as { stdout: string }).stdout);
    }
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
  boot(): string {
    try {
      execFileSync('fsck.vfat', ['-n', this.#carve('boot')], quiet);
      return '';
    } catch (error) {
      const said = String((error as { stdout: string }).stdout);
      // Set while it is mounted for writing; the next check of the boot takes it away.
      return said.replaceAll(/^.*(Dirty bit|removing dirty).*$/gim, '').trim();
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#work, { recursive: true, force: true });
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
