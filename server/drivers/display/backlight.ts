import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LevelDriver } from '../../services/display/driver.ts';

/**
 * The first backlight of the kernel's backlight class (Documentation/ABI/stable/sysfs-class-backlight).
 * @param root the class folder; a different one in tests
 */
export class Backlight implements LevelDriver {
  readonly #root: string;

  constructor(root = '/sys/class/backlight') {
    this.#root = root;
  }

  async read(): Promise<number | null> {
    const folder = await this.#folder();
    if (folder === undefined) return null;
    const [now, max] = await Promise.all([number(folder, 'brightness'), number(folder, 'max_brightness')]);
    return Math.round((100 * now) / Math.max(1, max));
  }

  async write(percent: number): Promise<void> {
    const folder = await this.#folder();
    if (folder === undefined) return;
    const max = await number(folder, 'max_brightness');
    await writeFile(join(folder, 'brightness'), String(Math.round((max * percent) / 100)));
  }

  async #folder(): Promise<string | undefined> {
    const names = await readdir(this.#root).catch(() => []);
    const [first] = names.sort();
    return first && join(this.#root, first);
  }
}

async function number(folder: string, name: string): Promise<number> {
  return Number((await readFile(join(folder, name), 'utf8')).trim());
}
