import { access, constants, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoError } from '../../platform/errno.ts';
import type { RtcDriver } from './driver.ts';

/** The attributes of an RTC, as files; replaced in tests by ones that follow the kernel's rules. */
export interface AttributeFiles {
  /** @throws an errno exception when the attribute is missing or not writable for us */
  checkWritable(path: string): Promise<void>;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
}

const sysfs: AttributeFiles = {
  checkWritable: (path) => access(path, constants.W_OK),
  read: (path) => readFile(path, 'utf8'),
  // One write(2) for the whole value, and no O_CREAT: a missing attribute is ENOENT, never a new file.
  write: (path, text) => writeFile(path, text, { flag: constants.O_WRONLY | constants.O_TRUNC }),
};

/** An alarm of a clock without seconds is cut to the full minute (kernel: RTC_FEATURE_ALARM_RES_MINUTE). */
const RESOLUTION_SECONDS = 60;
/** The alarm that the start tries: every RTC reaches so far, and it is taken back long before. */
const TRIED_SECONDS = 600;

/**
 * The wake alarm of an RTC of the kernel (drivers/rtc/sysfs.c, `wakealarm_store`). The attribute exists only where the
 * RTC can wake the machine. Both attributes count in the RTC's own time, UTC or local, so only differences are used.
 */
export class Wakealarm implements RtcDriver {
  readonly name = 'wakealarm';
  readonly path: string;
  readonly simulated = false;
  readonly #alarm: string;
  readonly #clock: string;
  readonly #files: AttributeFiles;

  /** @param path folder of the RTC, such as /sys/class/rtc/rtc0 */
  constructor(path: string, files: AttributeFiles = sysfs) {
    this.path = path;
    this.#alarm = join(path, 'wakealarm');
    this.#clock = join(path, 'since_epoch');
    this.#files = files;
  }

  /**
   * Tries an alarm where none is set: some RTCs have the attribute and hold none.
   * @throws an errno exception: ENOENT (no such RTC, or it cannot wake), EACCES (not ours to write), EIO, ERANGE, EINVAL
   */
  async start(): Promise<void> {
    await this.#files.checkWritable(this.#alarm);
    const now = await this.#now();
    if (((await this.#armedAt()) ?? now) > now) return;
    await this.arm(TRIED_SECONDS);
    await this.disarm();
  }

  /** The alarm stays set. */
  async stop(): Promise<void> {}

  async arm(seconds: number): Promise<void> {
    // A later alarm does not replace an active one (EBUSY): the active one is first switched off by a time in the past.
    await this.disarm();
    const wanted = (await this.#now()) + seconds;
    await this.#files.write(this.#alarm, `${wanted}\n`);
    const armed = await this.#armedAt();
    if (armed === null || armed > wanted || armed <= wanted - RESOLUTION_SECONDS) {
      throw errnoError('ERANGE', `the RTC was to wake at ${wanted} but holds ${armed ?? 'no alarm'}`);
    }
  }

  async disarm(): Promise<void> {
    await this.#files.write(this.#alarm, '0\n');
  }

  async remaining(): Promise<number | null> {
    const armed = await this.#armedAt();
    if (armed === null) return null;
    const seconds = armed - (await this.#now());
    return seconds > 0 ? seconds : null;
  }

  async #now(): Promise<number> {
    return numberOf(this.#clock, await this.#files.read(this.#clock));
  }

  /** The attribute is empty while no alarm is set. */
  async #armedAt(): Promise<number | null> {
    const text = await this.#files.read(this.#alarm);
    return text.trim() === '' ? null : numberOf(this.#alarm, text);
  }
}

function numberOf(path: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isInteger(number)) throw errnoError('EIO', `${path} holds no number`);
  return number;
}
