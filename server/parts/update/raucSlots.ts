import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { otherSlot, type Slot } from '../../platform/bootSlot.ts';
import { errnoOf } from '../../platform/errno.ts';
import { askHelper, HELPER_SOCKET, type HelperRequest } from '../apps/desktop/rootHelper.ts';
import type { Bundle, UpdateDriver } from './driver.ts';
import { type BootChoice, GRUBENV, MOST_BOOTS, readBootChoice } from './grubenv.ts';
import { isTooOld, knownKeys, MANIFEST, oldestVersion } from './oldestVersion.ts';
import { imageBoard, inspectRaucBundle } from './raucBundle.ts';

/** Where the root helper notes which version a slot holds. */
export const SLOT_VERSIONS = '/var/lib/faceplate-update';

/** Where the image notes why it took a slot back whose service did not do so itself (build/image, `proof`). */
export const TAKEN_BACK = 'taken-back';
const REASONS: Readonly<Record<string, string>> = {
  ends: 'The service ended by itself 3 times.',
  late: 'The service did not start within 15 minutes.',
};

interface RaucUpdatesOptions {
  /** The slot that runs. */
  readonly slot: Slot;
  /** `update.keys` */
  readonly keys: string;
  /** Restarts the machine. */
  reboot(): Promise<unknown>;
  readonly grubenv?: string;
  readonly versions?: string;
  readonly manifest?: string;
  readonly socket?: string;
}

/**
 * A disk image with two slots. This service judges bundles and reads what the boot loader knows; the root helper lets
 * RAUC install into the other slot, and changes the choice of the boot loader.
 */
export class RaucUpdates implements UpdateDriver {
  readonly slot: Slot;
  readonly ending = 'raucb';
  readonly restarts = 'machine';
  readonly board = imageBoard();
  readonly #options: Required<RaucUpdatesOptions>;

  constructor(options: RaucUpdatesOptions) {
    this.slot = options.slot;
    this.#options = {
      grubenv: GRUBENV,
      versions: SLOT_VERSIONS,
      manifest: MANIFEST,
      socket: HELPER_SOCKET,
      ...options,
    };
  }

  async oldest(): Promise<string> {
    const { keys, manifest, versions: state } = this.#options;
    return oldestVersion({ keys: await knownKeys(keys), manifest, state });
  }

  async inspect(path: string): Promise<Bundle> {
    const keys = await knownKeys(this.#options.keys);
    try {
      return await inspectRaucBundle(path, { keys, content: true });
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      const sentence = `The bundle cannot be judged: ${error.message}`;
      throw new FaceplateError('UPDATE_FAILED', sentence, { cause: error });
    }
  }

  /** From here on the next boot has the new version, and the boot loader counts it. The file is gone afterwards. */
  install(path: string, onProgress: (percent: number) => void): Promise<void> {
    return this.#ask({ verb: 'slot-install', path }, onProgress);
  }

  discard(): Promise<void> {
    return this.#ask({ verb: 'slot-discard' });
  }

  async restart(): Promise<void> {
    await this.#options.reboot();
  }

  async before(): Promise<string | null> {
    const other = otherSlot(this.slot);
    const choice = await this.#choice();
    if (choice?.slots[other].isGood !== true || choice.proving === other) return null;
    const version = (await readIfThere(join(this.#options.versions, `slot-${other}`))).trim() || null;
    // One that has not proved itself always has its way back.
    const mayReturn =
      choice.proving === this.slot || version === null || !isTooOld(version, await this.oldest());
    return mayReturn ? version : null;
  }

  async return(): Promise<void> {
    await this.#ask({ verb: 'slot-return' });
    await this.#options.reboot();
  }

  markGood(): Promise<void> {
    return this.#ask({ verb: 'slot-good' });
  }

  async isUnproven(): Promise<boolean> {
    return (await this.#choice())?.proving === this.slot;
  }

  async takenBack(): Promise<string | null> {
    const choice = await this.#choice();
    const other = otherSlot(this.slot);
    if (choice?.proving !== other || choice.slots[other].tries < MOST_BOOTS) return null;
    const [slot, why] = (await readIfThere(join(this.#options.versions, TAKEN_BACK))).split(/\s/);
    const noted = slot === other ? REASONS[why ?? ''] : undefined;
    return noted ?? 'The panel was cut off three times before it had proved itself.';
  }

  /** @throws FaceplateError HARDWARE_ERROR */
  async #choice(): Promise<BootChoice | undefined> {
    try {
      return await readBootChoice(this.#options.grubenv);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      throw new FaceplateError('HARDWARE_ERROR', 'The boot partition cannot be read.', { cause: error });
    }
  }

  #ask(request: HelperRequest, onProgress?: (percent: number) => void): Promise<void> {
    return askHelper(this.#options.socket, request, onProgress);
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}
