import { createReadStream, type FSWatcher, watch } from 'node:fs';
import { opendir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Upload } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import { compareSemver } from '../../platform/texts.ts';
import type { MessageService } from '../messages/service.ts';
import { assertCompatible } from './bundleFile.ts';
import { BUNDLE_LIMIT } from './contract.ts';
import type { Bundle, StickDialog, UpdateSticks } from './driver.ts';
import { knownKeys } from './oldestVersion.ts';
import { inspectRaucBundle } from './raucBundle.ts';

/** Several files of one stick are reported one after the other; it is looked at when that is over, in milliseconds. */
const LOOK_MS = 1_000;

interface StickOffersOptions {
  /** null where this is no disk image. */
  readonly sticks: UpdateSticks | null;
  readonly dialog: StickDialog;
  /** The bundles that fit. */
  readonly board: string;
  readonly installed: string;
  /** The oldest version that this panel takes. */
  oldest(): Promise<string>;
  isIdle(): boolean;
  install(bundle: Upload): Promise<unknown>;
  note(command: string, params: object): void;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Offer {
  readonly path: string;
  readonly version: string;
}

/**
 * Offers the newest version on a USB stick that fits this panel and is newer. No PIN: a person who can plug a stick in can also
 * pull the disk out, and nothing is taken that no known key signed.
 */
export class UsbUpdates {
  readonly #options: StickOffersOptions;
  #ends: (() => void)[] = [];
  #cancelLook = () => {};
  #offered: Offer | undefined;
  /** What somebody said no to, until its stick is gone. */
  #declined = new Set<string>();
  #takeAway = () => {};
  /** One look at a time: a slow one must not bring back what a later one has seen go. */
  #looks: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(options: StickOffersOptions) {
    this.#options = options;
  }

  /** The panel is up. */
  ready(): void {
    const { sticks } = this.#options;
    if (sticks === null) return;
    this.#ends = [sticks.watch(() => this.#lookSoon())];
    this.#lookSoon();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const end of this.#ends.splice(0)) end();
    this.#cancelLook();
    this.#takeAway();
  }

  #lookSoon(): void {
    const { clock, log } = this.#options;
    this.#cancelLook();
    this.#cancelLook = clock.after(LOOK_MS, () => {
      this.#looks = this.#looks
        .then(() => this.#look())
        .catch((error: unknown) => log.warn({ err: error }, 'update: could not read the USB stick'));
    });
  }

  async #look(): Promise<void> {
    const { sticks, dialog, isIdle } = this.#options;
    const paths = (await sticks?.bundles()) ?? [];
    this.#declined = new Set([...this.#declined].filter((path) => paths.includes(path)));
    if (this.#offered !== undefined && !paths.includes(this.#offered.path)) this.#endOffer();
    if (!isIdle()) return;
    const newest = await this.#newest(paths);
    // It may have taken a while.
    if (this.#isOver || !isIdle()) return;
    if (newest === undefined || newest.path === this.#offered?.path || this.#declined.has(newest.path))
      return;
    this.#endOffer();
    this.#offered = newest;
    this.#takeAway = dialog.ask(newest.version, (isYes) => {
      if (this.#offered !== newest) return;
      this.#endOffer();
      this.#declined.add(newest.path);
      if (isYes) void this.#install(newest);
    });
  }

  async #newest(paths: readonly string[]): Promise<Offer | undefined> {
    const { sticks, board, installed, oldest, log } = this.#options;
    let newest: Offer | undefined;
    for (const path of paths) {
      try {
        const bundle = await sticks!.peek(path);
        const version = assertCompatible(bundle, { board, installed, older: false, oldest: await oldest() });
        if (compareSemver(version, newest?.version ?? installed) > 0) newest = { path, version };
      } catch (error) {
        log.info({ err: error }, 'update: the bundle on the USB stick is not for this panel');
      }
    }
    return newest;
  }

  async #install({ path, version }: Offer): Promise<void> {
    const { install, note, dialog, log } = this.#options;
    try {
      const { size } = await stat(path);
      if (size > BUNDLE_LIMIT) throw new FaceplateError('TOO_LARGE', 'The bundle is larger than 2 GiB.');
      note('update.install', { version, from: 'stick' });
      await install({ size, bytes: createReadStream(path) });
    } catch (error) {
      log.warn({ version, err: error }, 'update: could not install the version from the USB stick');
      const reason = error instanceof FaceplateError ? error.message : 'The stick cannot be read.';
      dialog.failed(version, reason);
    }
  }

  #endOffer(): void {
    this.#offered = undefined;
    this.#takeAway();
    this.#takeAway = () => {};
  }
}

/** Where our images mount sticks, each with a file `<name>.ready` beside it (build/image/overlay). */
const STICKS = '/run/faceplate-stick';

const READY = '.ready';
/** So many sticks, and entries of each, are looked at. */
const MOST_STICKS = 8;
const MOST_ENTRIES = 10_000;
const MOST_BUNDLES = 32;

/** USB sticks with bundles for a disk image. */
export class ImageSticks implements UpdateSticks {
  readonly #keys: string;
  readonly #folder: string;

  /** @param keys `update.keys` */
  constructor(keys: string, folder = STICKS) {
    this.#keys = keys;
    this.#folder = folder;
  }

  watch(onChange: () => void): () => void {
    let watcher: FSWatcher;
    try {
      watcher = watch(this.#folder, { persistent: false }, onChange);
    } catch {
      // No image of ours mounts sticks here.
      return () => {};
    }
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  }

  async bundles(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const ready = names.filter((name) => name.endsWith(READY)).slice(0, MOST_STICKS);
    const found = ready.map((name) => bundlesIn(join(this.#folder, name.slice(0, -READY.length))));
    return (await Promise.all(found)).flat().slice(0, MOST_BUNDLES);
  }

  async peek(path: string): Promise<Bundle> {
    return inspectRaucBundle(path, { keys: await knownKeys(this.#keys), content: false });
  }
}

/** A stick that is pulled out meanwhile has none. */
async function bundlesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  try {
    let entries = 0;
    for await (const entry of await opendir(folder)) {
      if (entry.isFile() && /^faceplate-.*\.raucb$/i.test(entry.name)) found.push(join(folder, entry.name));
      if (++entries >= MOST_ENTRIES || found.length >= MOST_BUNDLES) break;
    }
  } catch {
    return [];
  }
  return found;
}

/** What is asked when a stick with a newer version is plugged in. */
export const stickTexts = {
  en: {
    ask: (version: string) => `Version ${version} is on the USB stick. The panel restarts into it.`,
    yes: 'Install',
    no: 'Not now',
    failed: (version: string) => `Version ${version} was not installed.`,
  },
  de: {
    ask: (version: string) => `Version ${version} ist auf dem USB-Stick. Das Panel startet damit neu.`,
    yes: 'Installieren',
    no: 'Nicht jetzt',
    failed: (version: string) => `Version ${version} wurde nicht installiert.`,
  },
  es: {
    ask: (version: string) => `La versión ${version} está en la memoria USB. El panel se reinicia con ella.`,
    yes: 'Instalar',
    no: 'Ahora no',
    failed: (version: string) => `La versión ${version} no se instaló.`,
  },
};

const ID = 'faceplate.stick';

interface DialogParts {
  readonly message: Pick<MessageService, 'show' | 'remove'>;
  readonly bus: Pick<EventBus, 'onAny'>;
  words(): (typeof stickTexts)['en'];
  onFailed(error: unknown): void;
}

/** The dialog about a version, as a message above every page. */
export function stickDialog({ message, bus, words, onFailed }: DialogParts): StickDialog {
  return {
    ask: (version, answer) => {
      const { ask, yes, no } = words();
      const buttons = [
        { id: 'install', label: yes },
        { id: 'later', label: no },
      ];
      let isThere = true;
      const end = bus.onAny((name, payload) => {
        if (name !== 'message') return;
        const { id, action, button } = payload as { id: string; action: string; button?: string };
        if (id !== ID || action === 'shown') return;
        end();
        isThere = false;
        // A message of this id that somebody else puts in its place is not ours.
        answer(action === 'pressed' && button === 'install');
      });
      const shown = message.show({
        id: ID,
        text: ask(version),
        level: 'info',
        style: 'dialog',
        seconds: 0,
        buttons,
      });
      shown.catch(onFailed);
      return () => {
        end();
        if (isThere) message.remove({ id: ID }).catch(() => {});
      };
    },
    failed: (version, reason) => {
      const text = `${words().failed(version)} ${reason}`;
      message.show({ id: ID, text, level: 'warning', style: 'dialog', seconds: 120 }).catch(onFailed);
    },
  };
}
