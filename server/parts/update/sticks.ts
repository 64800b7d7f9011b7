import { type FSWatcher, watch } from 'node:fs';
import { opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bundle, UpdateSticks } from './driver.ts';
import { knownKeys } from './knownKeys.ts';
import { inspectRaucBundle } from './raucBundle.ts';

/** Where our images mount sticks, each with a file `<name>.ready` beside it (build/image/overlay). */
export const STICKS = '/run/faceplate-stick';

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
