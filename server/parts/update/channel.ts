import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { compareSemver, isSemver } from '../../platform/semver.ts';
import { type ChannelEntry, channelEntry } from './contract.ts';

/** Between two readings, in milliseconds; half of the spread to either side. */
const EVERY_MS = 6 * 3_600_000;
const SPREAD_MS = 2 * 3_600_000;

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

/** The list of versions that this panel may have: read at the start, when its address or login changes, and every six hours. */
export class Channel {
  readonly #options: ChannelOptions;
  #address = '';
  #login = '';
  #available: ChannelEntry | undefined;
  #cancel = () => {};
  #reading = new AbortController();
  #isUp = false;

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
      if (!reading.signal.aborted) this.#take(this.#newest(list, address));
    } catch (error) {
      if (reading.signal.aborted) return;
      // The address may hold a login or a signature.
      log.warn({ host: new URL(address).host, err: error }, 'update: could not read the channel');
    }
    if (reading.signal.aborted) return;
    this.#cancel = clock.after(EVERY_MS + (random() - 0.5) * SPREAD_MS, () => void this.#read());
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
