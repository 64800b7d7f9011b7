import { FaceplateError } from '../../contract/errors.ts';
import type { PartInfo } from '../../contract/system.ts';
import { lookAgain } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import { Device, simulated } from '../device.ts';
import { MAX_SCAN, type ScanEvent } from './contract.ts';
import type { ReaderDriver } from './driver.ts';

interface ReadersOptions {
  readonly readers: readonly { readonly name: string; readonly driver: ReaderDriver }[];
  readonly clock: Clock;
  readonly events: EventBus;
  /** Somebody uses the panel. */
  readonly activity: () => void;
  readonly log: Logger;
}

/** Readers of cards and codes. What they read is an event and nothing else: it is never logged. */
export class ReadersService {
  readonly #options: ReadersOptions;
  readonly #endLooks: (() => void)[] = [];
  readonly #parts: ReadonlyMap<string, Device<ReaderDriver>>;

  constructor(options: ReadersOptions) {
    this.#options = options;
    this.#parts = new Map(
      options.readers.map(({ name, driver }) => [name, new Device(`reader ${name}`, driver, options.log)]),
    );
  }

  async start(): Promise<void> {
    for (const [name, part] of this.#parts) {
      part.driver?.onScan((text) => this.#read({ name, text: text.slice(0, MAX_SCAN) }));
      await part.start();
      this.#endLooks.push(lookAgain(part, this.#options.clock));
    }
  }

  async stop(): Promise<void> {
    for (const end of this.#endLooks.splice(0)) end();
    for (const part of this.#parts.values()) await part.stop();
  }

  /** The line of each reader in `info`. */
  parts(): Record<string, PartInfo> {
    return Object.fromEntries([...this.#parts].map(([name, part]) => [`reader:${name}`, part.info()]));
  }

  /** The names of the readers that are there. */
  get names(): readonly string[] {
    return [...this.#parts].flatMap(([name, { present }]) => (present ? [name] : []));
  }

  /**
   * Lets a reader read a text.
   * @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE when the reader is real
   */
  async simulate({ name, text }: ScanEvent): Promise<void> {
    const part = this.#parts.get(name);
    if (part === undefined) throw new FaceplateError('NOT_FOUND', `The board has no reader ${name}.`);
    await part.use(async (driver) => {
      simulated(driver, 'This reader is').simulate(text);
    });
  }

  #read(scan: ScanEvent): void {
    this.#options.activity();
    this.#options.events.emit('scan', scan);
  }
}
