import { join } from 'node:path';
import { InTurn } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { writeWhole } from '../../platform/files/wholeFile.ts';
import type { Logger } from '../../platform/log.ts';
import type { LoadedSettings } from '../loadSettings.ts';
import { differ, isFromOutside, type SettingKey, type Settings } from '../settings.ts';
import { type Layer, treeOf } from '../settingsFile.ts';
import { GOOD_SETTINGS, readView, type Starts, writeStarts, writeView } from './starts.ts';
import { isUnproven, type UndoneSettings, workingSet } from './takenBack.ts';

/** How long the picture may take once the panel is ready, in milliseconds. */
export const PICTURE_MS = 60_000;

/** Settings whose address has its own way back, while the panel runs. */
const ADDRESSES: readonly SettingKey[] = ['http.host', 'http.port', 'https.port'];

/**
 * Counts a start with settings that have not worked yet: the panel may end at any moment from here on. Waits for nothing
 * but the disk, and for that only where something has changed.
 */
export function countStart({ start, settings, sources }: LoadedSettings): void {
  const { dataDir, found, now } = start;
  const isNew = isUnprovenStart({ start, settings, sources });
  try {
    if (differ(readView(dataDir), start.view)) writeView(dataDir, start.view);
    const counted = { ...now, failed: isNew ? now.failed + 1 : 0 };
    if (differ(counted, found)) writeStarts(dataDir, counted);
  } catch {
    // A disk that takes nothing does not keep the panel from starting.
  }
}

function isUnprovenStart({
  start,
  settings,
  sources,
}: Pick<LoadedSettings, 'start' | 'settings' | 'sources'>) {
  const isHeld = (key: SettingKey) => isFromOutside(sources[key]);
  return isUnproven(settings, start.good, isHeld) || differ(start.view, start.now.view);
}

interface ProofOptions {
  readonly loaded: LoadedSettings;
  readonly undone: UndoneSettings;
  readonly clock: Clock;
  readonly log: Logger;
  /** Starts the panel again; null where nothing can. */
  readonly restart: (() => void) | null;
}

/** Watches whether a start works: it is ready, and shows a picture. Then its settings are the last set that worked. */
export class StartProof {
  readonly #options: ProofOptions;
  readonly #isNew: boolean;
  readonly #writing = new InTurn();
  #settings: () => Settings;
  #starts: Starts;
  #good: Layer;
  #isGoodKnown: boolean;
  #isReady = false;
  #hasPicture = false;
  /** Whether it worked, or ended in another way that is reported. */
  #isSettled = false;
  #cancel = (): void => {};

  constructor(options: ProofOptions) {
    const { loaded, undone } = options;
    this.#options = options;
    this.#isNew = isUnprovenStart(loaded);
    this.#settings = () => loaded.settings;
    const { now, good, isGoodKnown } = loaded.start;
    this.#starts = { ...now, failed: this.#isNew ? now.failed + 1 : 0 };
    this.#good = good;
    this.#isGoodKnown = isGoodKnown;
    undone.onChange(() => this.#forget());
  }

  /** From now on these are the settings in effect. */
  follow(settings: () => Settings): void {
    this.#settings = settings;
  }

  /** The panel is up. @param hasPage whether it shows a page */
  ready(hasPage: boolean): void {
    this.#isReady = true;
    this.#hasPicture ||= !hasPage;
    if (this.#hasPicture) this.#works();
    else this.#cancel = this.#options.clock.after(PICTURE_MS, () => this.#staysDark());
  }

  /** What the page does: whatever it shows, a notice too, is a picture. */
  pageIs(state: string): void {
    if (state === 'loading') return;
    this.#hasPicture = true;
    if (this.#isReady && !this.#isSettled) this.#works();
  }

  /** Settings have changed while the panel runs: they have worked once they did for a while. */
  changed(): void {
    if (!this.#isReady || !this.#hasPicture) return;
    this.#cancel();
    this.#cancel = this.#options.clock.after(PICTURE_MS, () => this.#works());
  }

  /** The start has failed by itself. */
  failed(): void {
    this.#isSettled = true;
  }

  /** Somebody ends the panel, or what ended it is no fault of the settings: it does not count. */
  ended(): void {
    this.#cancel();
    if (this.#isSettled || !this.#isNew) return;
    this.#isSettled = true;
    this.#starts = { ...this.#starts, failed: Math.max(0, this.#starts.failed - 1) };
    this.#write();
  }

  /** Resolves when all is written. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#writing.idle();
  }

  #works(): void {
    this.#cancel();
    this.#isSettled = true;
    const { log } = this.#options;
    void this.#writing.follow(
      () => this.#keep(),
      (error) => log.error({ err: error }, 'config: could not save the proven settings'),
    );
  }

  async #keep(): Promise<void> {
    const { loaded, undone } = this.#options;
    const { dataDir } = loaded.start;
    const good = workingSet(
      this.#settings(),
      this.#good,
      (key) => isFromOutside(loaded.sources[key]) || (ADDRESSES.includes(key) && undone.has(key)),
    );
    const text = textOf(good);
    if (!this.#isGoodKnown || text !== textOf(this.#good))
      await writeWhole(join(dataDir, GOOD_SETTINGS), text);
    this.#good = good;
    this.#isGoodKnown = true;
    const starts = { ...this.#starts, failed: 0, view: readView(dataDir) };
    if (!differ(starts, this.#starts)) return;
    this.#starts = starts;
    this.#write();
  }

  #staysDark(): void {
    const { log, restart } = this.#options;
    // A slow machine is no reason to lose settings: it is not known whether others work.
    if (!this.#isNew || !this.#isGoodKnown) return;
    this.#isSettled = true;
    this.#starts = { ...this.#starts, isDark: true };
    this.#write();
    log.error('config: no picture within 60 s, the next start uses the last proven settings');
    restart?.();
  }

  /** What somebody has changed is not taken back again. */
  #forget(): void {
    const { undone } = this.#options;
    const left = Object.entries(this.#starts.undone).filter(([setting]) => undone.has(setting));
    if (left.length === Object.keys(this.#starts.undone).length) return;
    this.#starts = { ...this.#starts, undone: Object.fromEntries(left) };
    this.#write();
  }

  #write(): void {
    const { loaded, log } = this.#options;
    try {
      writeStarts(loaded.start.dataDir, this.#starts);
    } catch (error) {
      log.error({ err: error }, 'config: could not count the starts');
    }
  }
}

function textOf(layer: Layer): string {
  return `${JSON.stringify(treeOf({ layer, unfit: new Map(), unknown: [], migrated: undefined }))}\n`;
}
