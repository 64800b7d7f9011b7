import type { ParamsOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { DisplayLevels } from '../../contract/settingsPage.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { LevelDriver } from './driver.ts';

/** Lowest brightness in percent: a person cannot make a dark screen bright again by touch. */
const MIN_BRIGHTNESS = 5;

interface DisplayOptions {
  readonly brightness: LevelDriver;
  readonly volume: LevelDriver;
}

/** Brightness of the screen and volume of the panel. */
export class DisplayService {
  readonly #options: DisplayOptions;

  constructor(options: DisplayOptions) {
    this.#options = options;
  }

  /** @throws FaceplateError HARDWARE_ERROR */
  async levels(): Promise<DisplayLevels> {
    const { brightness, volume } = this.#options;
    return { brightness: await use(() => brightness.read()), volume: await use(() => volume.read()) };
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async set({ brightness, volume }: ParamsOf<'settingsPage.setLevel'>): Promise<DisplayLevels> {
    if (brightness !== undefined)
      await write('brightness', this.#options.brightness, Math.max(MIN_BRIGHTNESS, brightness));
    if (volume !== undefined) await write('volume', this.#options.volume, volume);
    return this.levels();
  }
}

async function write(name: string, driver: LevelDriver, percent: number): Promise<void> {
  if ((await use(() => driver.read())) === null)
    throw new FaceplateError('UNSUPPORTED_HARDWARE', `This board has no ${name} to set.`);
  await use(() => driver.write(percent));
}

async function use<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw new FaceplateError('HARDWARE_ERROR', `The screen or sound failed: ${errnoWords(errno)}.`, {
      cause: error,
    });
  }
}
