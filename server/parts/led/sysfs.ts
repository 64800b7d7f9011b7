import { access, constants, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import type { LedState } from './contract.ts';
import type { LedDriver } from './driver.ts';

const CHANNELS = ['red', 'green', 'blue'] as const;
type Channel = (typeof CHANNELS)[number];

/** Folders below /sys/class/leds: one multicolour LED, or one single LED for each channel. */
type LedFolders = string | Readonly<Record<Channel, string>>;

/** An LED of the kernel: one folder with its attributes. */
interface Led {
  readonly folder: string;
  /** Value of full brightness. */
  readonly max: number;
}

interface Multicolour extends Led {
  /** Names of the components in the order in which `multi_intensity` takes them; it differs from board to board. */
  readonly index: readonly string[];
}

type Leds =
  | { readonly kind: 'multicolour'; readonly led: Multicolour }
  | { readonly kind: 'single'; readonly leds: Record<Channel, Led> };

/**
 * An RGB LED of the kernel's LED class (Documentation/leds/leds-class.rst and leds-class-multicolor.rst).
 * Works by reading and writing named files only: no directory is listed.
 */
export class SysfsLed implements LedDriver {
  readonly name = 'sysfs';
  readonly path: string;
  readonly simulated = false;
  readonly #folders: LedFolders;
  #leds: Leds | undefined;

  constructor(folders: LedFolders) {
    this.#folders = folders;
    this.path =
      typeof folders === 'string' ? folders : CHANNELS.map((channel) => folders[channel]).join(', ');
  }

  /** @throws an errno exception: ENOENT (no such LED), EACCES (not ours to write), EINVAL (no RGB LED) */
  async start(): Promise<void> {
    const folders = this.#folders;
    if (typeof folders === 'string') {
      this.#leds = { kind: 'multicolour', led: await openMulticolour(folders) };
      return;
    }
    const [red, green, blue] = [
      await openLed(folders.red),
      await openLed(folders.green),
      await openLed(folders.blue),
    ];
    this.#leds = { kind: 'single', leds: { red, green, blue } };
  }

  async stop(): Promise<void> {}

  async apply(state: LedState): Promise<void> {
    const leds = this.#leds;
    if (!leds) throw errnoError('ENXIO', 'the LED has not been started');
    if (leds.kind === 'multicolour') await showMulticolour(leds.led, state);
    else for (const channel of CHANNELS) await showSingle(leds.leds[channel], state.on ? state[channel] : 0);
  }
}

async function openLed(folder: string): Promise<Led> {
  const max = Number(await readFile(join(folder, 'max_brightness'), 'utf8'));
  if (!Number.isInteger(max) || max < 1) throw errnoError('EINVAL', `${folder} has no usable max_brightness`);
  await access(join(folder, 'brightness'), constants.W_OK);
  return { folder, max };
}

async function openMulticolour(folder: string): Promise<Multicolour> {
  const led = await openLed(folder);
  const index = (await readFile(join(folder, 'multi_index'), 'utf8')).trim().split(/\s+/);
  if (!CHANNELS.every((channel) => index.includes(channel))) {
    throw errnoError('EINVAL', `${folder} is not red, green and blue but ${index.join(', ')}`);
  }
  await access(join(folder, 'multi_intensity'), constants.W_OK);
  return { ...led, index };
}

/** Component = brightness x intensity / maximum: with full brightness the intensity alone decides. */
async function showMulticolour(led: Multicolour, state: LedState): Promise<void> {
  await dropTrigger(led);
  if (!state.on) {
    await writeAttribute(led, 'brightness', '0');
    return;
  }
  const channels: Partial<Record<string, number>> = { red: state.red, green: state.green, blue: state.blue };
  const intensities = led.index.map((name) => scaled(channels[name] ?? 0, led.max));
  await writeAttribute(led, 'multi_intensity', intensities.join(' '));
  await writeAttribute(led, 'brightness', String(led.max));
}

async function showSingle(led: Led, channel: number): Promise<void> {
  await dropTrigger(led);
  await writeAttribute(led, 'brightness', String(scaled(channel, led.max)));
}

/** A trigger (heartbeat, timer) would overwrite our colour. */
async function dropTrigger(led: Led): Promise<void> {
  let triggers: string;
  try {
    triggers = await readFile(join(led.folder, 'trigger'), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  if (!triggers.includes('[none]')) await writeAttribute(led, 'trigger', 'none');
}

/** One write(2) for the whole value, and no O_CREAT: a missing attribute is ENOENT, never a new file. */
async function writeAttribute(led: Led, attribute: string, value: string): Promise<void> {
  await writeFile(join(led.folder, attribute), `${value}\n`, {
    flag: constants.O_WRONLY | constants.O_TRUNC,
  });
}

/** @returns 0 to `max`, never above it: older kernels pass any value on to the hardware */
function scaled(channel: number, max: number): number {
  return Math.min(max, Math.round((channel * max) / 255));
}
