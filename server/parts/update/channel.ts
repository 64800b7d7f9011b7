import { type Clock, followSystemTimeZone, type WallClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { compareSemver, isSemver } from '../../platform/texts.ts';
import { type ChannelEntry, channelEntry } from './contract.ts';

/** Between two readings, in milliseconds; half of the spread to either side. */
const EVERY_MS = 6 * 3_600_000;
const SPREAD_MS = 2 * 3_600_000;
/** After a reading that failed, in milliseconds; then twice as long each time: link and clock may come late. */
const FAILED_MS = 10 * 60_000;

interface ChannelOptions {
  /** `update.channel` */
  readonly address: () => string;
  /** Another one when the login of its server has changed. */
  readonly login: () => string;
  readonly installed: string;
  readonly board: string;
  /** Reads an address, up to 1 MiB. */
  read(address: string, signal: AbortSignal): Promise<Uint8Array>;
  onAvailable(): void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** The list of versions that this panel may have: read at the start, when its address or login changes, and every six hours; after a failure sooner. */
export class Channel {
  readonly #options: ChannelOptions;
  #address = '';
  #login = '';
  #available: ChannelEntry | undefined;
  #cancel = () => {};
  #reading = new AbortController();
  #isUp = false;
  #failures = 0;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** The newest version for this board that is newer than the installed one; its `url` is whole. */
  get available(): ChannelEntry | undefined {
    return this.#available;
  }

  start(): void {
    this.#isUp = true;
    this.follow();
  }

  stop(): void {
    this.#isUp = false;
    this.#end();
  }

  /** The setting may have changed. */
  follow(): void {
    const [address, login] = [this.#options.address(), this.#options.login()];
    if (!this.#isUp || (address === this.#address && login === this.#login)) return;
    const isNew = address !== this.#address;
    this.#end();
    this.#address = address;
    this.#login = login;
    if (isNew) this.#take(undefined);
    if (address !== '') void this.#read();
  }

  #end(): void {
    this.#cancel();
    this.#reading.abort();
    this.#address = '';
  }

  async #read(): Promise<void> {
    const { read, clock, random, log } = this.#options;
    const reading = new AbortController();
    this.#reading = reading;
    const address = this.#address;
    try {
      const list: unknown = JSON.parse(Buffer.from(await read(address, reading.signal)).toString('utf8'));
      if (!Array.isArray(list)) throw new Error('it is no list');
      if (reading.signal.aborted) return;
      this.#failures = 0;
      this.#take(this.#newest(list, address));
    } catch (error) {
      if (reading.signal.aborted) return;
      this.#failures++;
      // The address may hold a login or a signature.
      log.warn({ host: new URL(address).host, err: error }, 'update: could not read the channel');
    }
    if (reading.signal.aborted) return;
    const every = EVERY_MS + (random() - 0.5) * SPREAD_MS;
    const wait =
      this.#failures === 0 ? every : Math.min(every, FAILED_MS * 2 ** Math.min(this.#failures - 1, 10));
    this.#cancel = clock.after(wait, () => void this.#read());
  }

  #newest(list: readonly unknown[], address: string): ChannelEntry | undefined {
    const { installed, board } = this.#options;
    let newest: ChannelEntry | undefined;
    for (const one of list) {
      const entry = channelEntry.safeParse(one).data;
      if (entry === undefined || !isSemver(entry.version) || !URL.canParse(entry.url, address)) continue;
      if (!entry.boards.includes(board)) continue;
      if (compareSemver(entry.version, newest?.version ?? installed) > 0)
        newest = { ...entry, url: new URL(entry.url, address).href };
    }
    return newest;
  }

  #take(available: ChannelEntry | undefined): void {
    if (JSON.stringify(available) === JSON.stringify(this.#available)) return;
    this.#available = available;
    this.#options.onAvailable();
  }
}

const LOOK_MS = 30_000;
/** Until a version that could not be taken is tried again, in milliseconds. */
const AGAIN_MS = 10 * 60_000;

interface AutomaticOptions {
  /** `update.window`; empty: never. */
  readonly window: () => string;
  /** Whether there is a version to take, and no person whom that disturbs. */
  mayTake(): Promise<boolean>;
  take(): Promise<unknown>;
  readonly clock: WallClock;
  readonly random: () => number;
}

/** Takes what is available by itself: at a random moment of the window's first half, and later at once. */
export class Automatic {
  readonly #options: AutomaticOptions;
  #window: Window | undefined;
  #moment = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #cancel = () => {};

  constructor(options: AutomaticOptions) {
    this.#options = options;
  }

  start(): void {
    this.#look();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { window: text, clock } = this.#options;
    // A tick rather than one long timer: the time of day may be set meanwhile.
    this.#cancel = clock.after(LOOK_MS, () => this.#look());
    followSystemTimeZone();
    const window = text();
    if (window === '') return;
    const now = clock.wall();
    const current = windowAt(window, now);
    if (now < current.from) return;
    if (current.from !== this.#window?.from || current.to !== this.#window.to) this.#begin(current);
    if (now < this.#moment || clock.now() < this.#notBefore) return;
    void this.#takeIfMay();
  }

  async #takeIfMay(): Promise<void> {
    const { clock, mayTake, take } = this.#options;
    if (!(await mayTake().catch(() => false))) return;
    this.#notBefore = clock.now() + AGAIN_MS;
    // It logs by itself why it failed.
    await take().catch(() => {});
  }

  #begin(window: Window): void {
    this.#window = window;
    this.#moment = window.from + (this.#options.random() * (window.to - window.from)) / 2;
  }
}

/** One window of `update.window`, in milliseconds since 1970. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * The window that contains a moment, or the next one. Its ends are local times of day, so that it moves with summer time.
 * @param text as the setting `update.window`: `02:00-04:00`; it may pass midnight
 * @param moment milliseconds since 1970
 */
export function windowAt(text: string, moment: number): Window {
  const [begin, end] = text.split('-').map((time) => time.split(':').map(Number) as [number, number]);
  // It may have begun yesterday.
  for (let day = -1; ; day++) {
    const from = localTime(moment, day, begin!);
    const isPastMidnight = end![0] * 60 + end![1] < begin![0] * 60 + begin![1];
    const to = localTime(moment, isPastMidnight ? day + 1 : day, end!);
    if (to > moment) return { from, to };
  }
}

/** A time of day, so many days after that of a moment. */
function localTime(moment: number, days: number, [hours, minutes]: readonly [number, number]): number {
  const date = new Date(moment);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, hours, minutes).getTime();
}
