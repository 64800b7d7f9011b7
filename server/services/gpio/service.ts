import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Level, PinFacts, PinState } from '../../contract/gpio.ts';
import type { PartInfo } from '../../contract/system.ts';
import { CallQueue } from '../../platform/callQueue.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { Device } from '../device.ts';
import type { GpioDriver } from './driver.ts';
import { Pulses } from './pulses.ts';

interface GpioOptions {
  /** null when the board has no pins. */
  readonly driver: GpioDriver | null;
  /** Names of the pins by number, for sentences. */
  readonly labels?: readonly string[] | undefined;
  /** Where pulses under way are stored. */
  readonly dataDir: string;
  readonly clock?: Clock;
  readonly events: EventBus;
  readonly log: Logger;
}

/** Pins from this number on are relays. */
const FIRST_RELAY = 2;
/** Names of the pins when the board profile gives none. */
const PIN_NAMES = ['IO 1', 'IO 2', 'Relay 1', 'Relay 2'];

/** Drives and reads the pins and relays, and reads back what it drives. Calls are made one after the other. */
export class GpioService {
  readonly #part: Device<GpioDriver>;
  readonly #events: EventBus;
  readonly #log: Logger;
  readonly #labels: readonly string[];
  readonly #queue = new CallQueue();
  /** Last level seen of each pin. */
  readonly #levels = new Map<number, Level>();
  /** Changes since the start, and the time of the last one. */
  readonly #edges = new Map<number, { count: number; since: string }>();
  readonly #pulses: Pulses;
  readonly #onInput = new Set<(edge: PinState) => void>();
  /** What the panel is writing now: the driver may tell of it as of a change on the wire. */
  #writing: PinState | undefined;

  constructor({ driver, labels = PIN_NAMES, dataDir, clock = systemClock, events, log }: GpioOptions) {
    this.#part = new Device('GPIO part', driver, log);
    this.#labels = labels;
    this.#events = events;
    this.#log = log;
    this.#pulses = new Pulses({
      dataDir,
      clock,
      setBack: (pin, level) => this.#queue.run(new AbortController().signal, () => this.#set({ pin, level })),
      log,
    });
  }

  async start(): Promise<void> {
    this.#part.driver?.onChange?.((change) => this.#saw(change));
    await this.#part.start();
    if (!this.#part.present) return;
    await this.#pulses.start();
    for (const [pin, name] of this.#labels.entries()) {
      try {
        this.#levels.set(pin, await this.#part.use((driver) => driver.read(pin)));
      } catch (error) {
        this.#log.warn({ err: error }, `${name} could not be read at start`);
      }
    }
  }

  async stop(): Promise<void> {
    await this.#queue.idle();
    await this.#pulses.stop();
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** Last level seen of each pin, for the first event of a listener. */
  snapshot(): PinState[] {
    return [...this.#levels].map(([pin, level]) => ({ pin, level })).sort((a, b) => a.pin - b.pin);
  }

  /** Told of an edge at an input or output that the panel did not write itself; relays have none. */
  onInput(listener: (edge: PinState) => void): () => void {
    this.#onInput.add(listener);
    return () => this.#onInput.delete(listener);
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, CONFLICT, HARDWARE_ERROR (also when another level is read back) */
  write({ pin, level }: ParamsOf<'gpio.write'>, { signal }: CallContext): Promise<ResultOf<'gpio.write'>> {
    return this.#queue.run(signal, async () => {
      await this.#set({ pin, level });
      await this.#pulses.forget(pin);
      return { status: 'ok', pin, level, ok: true };
    });
  }

  /**
   * Drives a pin for a time, then back. A write to the pin ends it, and another pulse begins it anew.
   * @throws FaceplateError UNSUPPORTED_HARDWARE, CONFLICT, STORAGE_FULL, HARDWARE_ERROR; then the pin is set back
   */
  pulse(
    { pin, level, ms }: ParamsOf<'gpio.pulse'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'gpio.pulse'>> {
    return this.#queue.run(signal, async () => {
      const back = await this.#pulses.note(pin, await this.#part.use((driver) => driver.read(pin)));
      try {
        await this.#set({ pin, level });
      } catch (error) {
        await this.#set({ pin, level: back }).catch(() => undefined);
        await this.#pulses.forget(pin);
        throw error;
      }
      return { status: 'ok', pin, level, until: this.#pulses.begin(pin, back, ms) };
    });
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE */
  async list(): Promise<ResultOf<'gpio.list'>> {
    const pins = this.#labels.map((label, pin): PinFacts => {
      const edges = this.#edges.get(pin);
      return {
        pin,
        label,
        kind: pin < FIRST_RELAY ? 'io' : 'relay',
        level: this.#levels.get(pin) ?? null,
        since: edges?.since ?? null,
        edges: edges?.count ?? 0,
        pulseUntil: this.#pulses.until(pin),
        lockedBy: null,
      };
    });
    return this.#part.use(async () => ({ pins }));
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, CONFLICT, HARDWARE_ERROR */
  read({ pin }: ParamsOf<'gpio.read'>, { signal }: CallContext): Promise<ResultOf<'gpio.read'>> {
    return this.#queue.run(signal, async () => {
      const level = await this.#part.use((driver) => driver.read(pin));
      this.#saw({ pin, level });
      return { status: 'ok', pin, level, ok: true };
    });
  }

  /**
   * Changes a wire from outside.
   * @throws FaceplateError UNSUPPORTED_HARDWARE when the pins are real or absent
   */
  async simulate(change: PinState): Promise<void> {
    await this.#part.use(async (driver) => {
      if (!driver.simulate) {
        throw new FaceplateError(
          'UNSUPPORTED_HARDWARE',
          'The pins of this board are real: nothing to simulate.',
        );
      }
      driver.simulate(change);
    });
  }

  /** Writes and reads back. @throws FaceplateError HARDWARE_ERROR when another level is read */
  async #set({ pin, level }: PinState): Promise<void> {
    this.#writing = { pin, level };
    try {
      const actual = await this.#part.use(async (driver) => {
        await driver.write(pin, level);
        return driver.read(pin);
      });
      this.#saw({ pin, level: actual });
      if (actual === level) return;
      const sentence = `${this.#labels[pin]} was set to ${level} but reads ${actual}: check its wiring.`;
      throw new FaceplateError('HARDWARE_ERROR', sentence);
    } finally {
      this.#writing = undefined;
    }
  }

  #saw({ pin, level }: PinState): void {
    if (this.#levels.get(pin) === level) return;
    this.#levels.set(pin, level);
    const count = (this.#edges.get(pin)?.count ?? 0) + 1;
    this.#edges.set(pin, { count, since: new Date().toISOString() });
    this.#events.emit('gpio', { pin, level });
    const isOwn = this.#writing?.pin === pin && this.#writing.level === level;
    if (isOwn || pin >= FIRST_RELAY) return;
    for (const listener of this.#onInput) listener({ pin, level });
  }
}
