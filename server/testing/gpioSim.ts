import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CONFIGFS = '/sys/kernel/config/gpio-sim';

/** Reason to skip a test that needs gpio-sim, or false. */
export const skipWithoutGpioSim: string | false =
  existsSync(CONFIGFS) && process.getuid?.() === 0
    ? false
    : 'needs root and the kernel module gpio-sim (modprobe gpio-sim, configfs mounted)';

/** A GPIO chip of the kernel's own simulator (Documentation/admin-guide/gpio/gpio-sim.rst). */
export class GpioSim {
  readonly #device = join(CONFIGFS, `faceplate-${process.pid}`);
  readonly #bank = join(this.#device, 'bank0');
  readonly #lines: string[] = [];

  /** @param names of the lines, by offset */
  start(names: readonly string[]): void {
    mkdirSync(this.#device);
    mkdirSync(this.#bank);
    writeFileSync(join(this.#bank, 'num_lines'), String(names.length));
    for (const [offset, name] of names.entries()) {
      const line = join(this.#bank, `line${offset}`);
      mkdirSync(line);
      this.#lines.push(line);
      writeFileSync(join(line, 'name'), name);
    }
    writeFileSync(join(this.#device, 'live'), '1');
  }

  /** The character device. */
  get path(): string {
    return `/dev/${this.#chip}`;
  }

  /** The outside world drives an input line. */
  pull(offset: number, level: number): void {
    const device = readFileSync(join(this.#device, 'dev_name'), 'utf8').trim();
    const line = `/sys/devices/platform/${device}/${this.#chip}/sim_gpio${offset}`;
    writeFileSync(join(line, 'pull'), level === 1 ? 'pull-up' : 'pull-down');
  }

  stop(): void {
    writeFileSync(join(this.#device, 'live'), '0');
    for (const folder of [...this.#lines, this.#bank, this.#device]) rmdirSync(folder);
  }

  get #chip(): string {
    return readFileSync(join(this.#bank, 'chip_name'), 'utf8').trim();
  }
}
