import { RunningWork } from '../platform/async.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { CameraFeed } from './cameraFeed.ts';
import type { MediaLimits } from './limits.ts';
import type { CameraAccess, CameraUrl } from './rtsp/cameraUrl.ts';

interface CameraHubOptions {
  readonly log: Logger;
  readonly limits: MediaLimits;
  /** How long a camera connection outlives its last viewer, in milliseconds. */
  readonly lingerMs: () => number;
  readonly access: CameraAccess;
  readonly clock: Clock;
}

interface Entry {
  readonly feed: CameraFeed;
  users: number;
  isReady: boolean;
  linger: NodeJS.Timeout | undefined;
}

/** One camera connection per URL, login included, shared by its users. */
export class CameraHub {
  readonly #options: CameraHubOptions;
  readonly #entries = new Map<string, Entry>();
  /** Connections that are closing. */
  readonly #ending = new RunningWork();

  constructor(options: CameraHubOptions) {
    this.#options = options;
  }

  /** Cameras that are connected or connecting, for leak checks. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Uses a camera; every call needs its `release`. Wait for `ready` of what it returns.
   * @param talksToo whether voice goes over the same connection; of the first user
   */
  acquire(url: CameraUrl, talksToo = false): CameraFeed {
    const known = this.#entries.get(keyOf(url));
    if (known !== undefined) {
      known.users++;
      clearTimeout(known.linger);
      known.linger = undefined;
      return known.feed;
    }
    const entry: Entry = { feed: this.#feedOf(url, talksToo), users: 1, isReady: false, linger: undefined };
    this.#entries.set(keyOf(url), entry);
    entry.feed.ready.then(
      () => {
        entry.isReady = true;
      },
      () => {},
    );
    entry.feed.start();
    return entry.feed;
  }

  /** Ends one use. After the last use the connection lingers; one that never played ends at once. */
  release(feed: CameraFeed): void {
    const entry = this.#entries.get(keyOf(feed.url));
    // Already gone, or replaced by a new try.
    if (entry?.feed !== feed || --entry.users > 0) return;
    if (!entry.isReady) this.#end(entry);
    else entry.linger = setTimeout(() => this.#end(entry), this.#options.lingerMs());
  }

  /** Whether a camera is connected and plays, so that using it connects nothing. */
  plays(url: CameraUrl): boolean {
    return this.#entries.get(keyOf(url))?.isReady === true;
  }

  /** How many use a camera. */
  users(feed: CameraFeed): number {
    const entry = this.#entries.get(keyOf(feed.url));
    return entry?.feed === feed ? entry.users : 0;
  }

  /** Ends all connections and resolves when they are gone. */
  async stop(): Promise<void> {
    for (const entry of [...this.#entries.values()]) this.#end(entry);
    await this.#ending.done();
  }

  #feedOf(url: CameraUrl, talksToo: boolean): CameraFeed {
    const feed: CameraFeed = new CameraFeed({
      url,
      limits: this.#options.limits,
      log: this.#options.log,
      clock: this.#options.clock,
      access: this.#options.access,
      talksToo,
      isWanted: () => this.users(feed) > 0,
      onEnded: () => this.#forget(feed),
    });
    return feed;
  }

  #forget(feed: CameraFeed): void {
    const entry = this.#entries.get(keyOf(feed.url));
    if (entry?.feed !== feed) return;
    clearTimeout(entry.linger);
    this.#entries.delete(keyOf(feed.url));
  }

  #end(entry: Entry): void {
    this.#forget(entry.feed);
    void this.#ending.add(entry.feed.stop());
  }
}

/** Another login means another connection, even if the address does not contain it. */
export function keyOf({ key, credentials }: CameraUrl): string {
  return JSON.stringify([key, credentials]);
}
