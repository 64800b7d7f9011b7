import { constants } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../platform/errno.ts';
import type { BacklightDriver } from './driver.ts';

/** Which kind controls the real light, when several stand for one screen (sysfs-class-backlight, `type`). */
const KINDS = ['firmware', 'platform', 'raw'];
/** The lowest light that can still be read, as a part of the highest. */
const LOWEST = 0.05;
/** Values of `bl_power` (FB_BLANK_* of linux/fb.h). */
const POWER_ON = '0';
const POWER_OFF = '4';
/** A system call that says: this light is gone. */
const GONE = ['ENOENT', 'ENODEV', 'ENXIO'];
/** The most lights that are driven: no panel has more. */
const MAX_LIGHTS = 16;

interface Light {
  readonly folder: string;
  readonly max: number;
}

/**
 * The backlights of the kernel (Documentation/ABI/stable/sysfs-class-backlight). Several of the same kind belong to
 * several screens, and follow together. They are looked up at every call, because they come and go.
 * @param root the class folder; a different one in tests
 */
export class Backlight implements BacklightDriver {
  readonly #root: string;
  /** What was written last, so that a light with few steps still answers with the percent that was set. */
  readonly #written = new Map<string, { readonly raw: number; readonly percent: number }>();
  /** Lights without a switch of their own that are off by their brightness, and what they go back to. */
  readonly #dark = new Map<string, number>();

  constructor(root = '/sys/class/backlight') {
    this.#root = root;
  }

  async read(): Promise<number | null> {
    return (await this.#each((light) => this.#percent(light)))[0] ?? null;
  }

  async write(percent: number): Promise<boolean> {
    return this.#some(async (light) => {
      const raw = rawOf(light, percent);
      this.#written.set(light.folder, { raw, percent });
      if (this.#dark.has(light.folder)) this.#dark.set(light.folder, raw);
      else await put(light, 'brightness', raw);
    });
  }

  async light(on: boolean): Promise<boolean> {
    return this.#some((light) => this.#switch(light, on));
  }

  async #percent(light: Light): Promise<number> {
    const raw = this.#dark.get(light.folder) ?? (await number(light.folder, 'brightness'));
    const written = this.#written.get(light.folder);
    if (written?.raw === raw) return written.percent;
    const lowest = lowestOf(light);
    const share = (raw - lowest) / Math.max(1, light.max - lowest);
    return Math.round(100 * Math.min(1, Math.max(0, share)));
  }

  async #switch(light: Light, on: boolean): Promise<void> {
    try {
      await put(light, 'bl_power', on ? POWER_ON : POWER_OFF);
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'EPERM', 'EINVAL', 'EOPNOTSUPP'].includes(errnoOf(error) ?? '')) throw error;
      if (!on) await this.#darken(light);
    }
    if (!on) return;
    const kept = this.#dark.get(light.folder);
    // A brightness of 0 that this run has not written: an earlier run was killed while it was dark.
    const raw = kept ?? ((await number(light.folder, 'brightness')) === 0 ? light.max : undefined);
    if (raw !== undefined) await put(light, 'brightness', raw);
    this.#dark.delete(light.folder);
  }

  async #darken(light: Light): Promise<void> {
    if (this.#dark.has(light.folder)) return;
    const raw = await number(light.folder, 'brightness');
    await put(light, 'brightness', 0);
    this.#dark.set(light.folder, raw);
  }

  /** @returns whether there was a light */
  async #some(work: (light: Light) => Promise<void>): Promise<boolean> {
    return (await this.#each(work)).length > 0;
  }

  /** @throws what the first light throws, once all were tried; one that vanishes meanwhile does not count */
  async #each<T>(work: (light: Light) => Promise<T>): Promise<T[]> {
    const lights = await this.#lights();
    const done = await Promise.allSettled(lights.map(work));
    const failed = done.find((one) => one.status === 'rejected' && !isGone(one.reason));
    if (failed?.status === 'rejected') throw failed.reason;
    return done.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }

  async #lights(): Promise<Light[]> {
    const names = (await readdir(this.#root).catch(() => [])).sort().slice(0, MAX_LIGHTS);
    const folders = names.map((name) => join(this.#root, name));
    const found = await Promise.all(
      folders.map(async (folder) => ({
        folder,
        kind: KINDS.indexOf(await text(folder, 'type').catch(() => 'raw')),
        max: await number(folder, 'max_brightness').catch(() => 0),
      })),
    );
    const usable = found.filter(({ max }) => max > 0);
    const best = Math.min(...usable.map(({ kind }) => kind));
    return usable.filter(({ kind }) => kind === best);
  }
}

function lowestOf({ max }: Light): number {
  return Math.max(1, Math.ceil(max * LOWEST));
}

function rawOf(light: Light, percent: number): number {
  const lowest = lowestOf(light);
  return Math.round(lowest + ((light.max - lowest) * percent) / 100);
}

function isGone(error: unknown): boolean {
  return GONE.includes(errnoOf(error) ?? '');
}

async function put(light: Light, name: string, value: number | string): Promise<void> {
  // A file of sysfs is there already: none is made where the light has gone.
  const flag = constants.O_WRONLY | constants.O_TRUNC;
  await writeFile(join(light.folder, name), String(value), { flag });
}

async function text(folder: string, name: string): Promise<string> {
  return (await readFile(join(folder, name), 'utf8')).trim();
}

/** @throws an errno exception; EIO for what is no number */
async function number(folder: string, name: string): Promise<number> {
  const value = Number.parseInt(await text(folder, name), 10);
  if (Number.isNaN(value)) throw Object.assign(new Error(`${name} holds no number`), { code: 'EIO' });
  return value;
}
