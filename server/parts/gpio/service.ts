import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { PartInfo } from '../../contract/system.ts';
import { CallQueue } from '../../platform/async.ts';
import { systemWallClock, type WallClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { Device, simulated } from '../device.ts';
import type { PinFacts, PinState } from './contract.ts';
import type { BoardPin, GpioDriver, OutputRules, PinChange } from './driver.ts';
import { Debouncer, EdgeList, PinLevels } from './pinLevels.ts';
import { Outputs } from './rules/outputs.ts';
import { noRules, PageLoss } from './rules/rules.ts';

interface GpioOptions {
  /** null when the board has no pins. */
  readonly driver: GpioDriver | null;
  /** The pins of the board, by number. */
  readonly pins?: readonly BoardPin[] | undefined;
  /** What the board profile says about outputs. */
  readonly rules?: OutputRules | undefined;
  /** Where pulses under way are stored. */
  readonly dataDir: string;
  readonly clock?: WallClock;
  readonly events: EventBus;
  readonly log: Logger;
}

/** The pins of the shipped panels. */
const USUAL_PINS: readonly BoardPin[] = [
  { label: 'IO 1', kind: 'io' },
  { label: 'IO 2', kind: 'io' },
  { label: 'Relay 1', kind: 'relay' },
  { label: 'Relay 2', kind: 'relay' },
];

/**
 * Drives and reads the pins and relays, and reads back what it drives. Calls are made one after the other, and so is all
 * that happens by itself: the ends of pulses, and what the rules of the board ask for.
 */
export class GpioService {
  readonly #part: Device<GpioDriver>;
  readonly #events: EventBus;
  readonly #log: Logger;
  readonly #pins: readonly BoardPin[];
  readonly #queue = new CallQueue();
  readonly #levels: PinLevels;
  readonly #outputs: Outputs;
  readonly #page: PageLoss;
  readonly #inputs: Debouncer;
  readonly #edges = new EdgeList();
  readonly #clock: WallClock;
  /** When `start` was called, in milliseconds since 1970. */
  #since = 0;
  readonly #onInput = new Set<(edge: PinState) => void>();
  /** What the panel is writing now: the driver may tell of it as of a change on the wire. */
  #writing: PinState | undefined;

  constructor({
    driver,
    pins = USUAL_PINS,
    rules = noRules,
    dataDir,
    clock = systemWallClock,
    events,
    log,
  }: GpioOptions) {
    this.#part = new Device('GPIO part', driver, log);
    this.#pins = pins;
    this.#events = events;
    this.#log = log;
    this.#clock = clock;
    this.#levels = new PinLevels({
      clock,
      announce: (change, isOwn) => this.#announce(change, isOwn),
      changed: ({ pin, level }, count, at, written) => this.#edges.add({ at, pin, level, count, written }),
    });
    this.#inputs = new Debouncer({
      ms: rules.debounceMs,
      clock,
      levelOf: (pin) => this.#levels.of(pin),
      settled: (change) => this.#saw(change),
    });
    this.#outputs = new Outputs({
      rules,
      dataDir,
      clock,
      labels: pins.map(({ label }) => label),
      driver,
      use: (work) => this.#part.use(work),
      inTurn: (work) => this.#inTurn(work),
      writing: (write) => {
        this.#writing = write;
        if (write) this.#inputs.forget(write.pin);
      },
      saw: (state) => this.#saw(state),
      log,
    });
    this.#page = new PageLoss({
      after: rules.safeAfterPageLost,
      clock,
      lost: () => this.#pageLost(),
    });
  }

  /** Before all else: safe levels, and the ends of pulses that an earlier run left. */
  async start(): Promise<void> {
    this.#since = this.#clock.wall();
    if (this.#part.driver === null) return this.#part.start();
    const left = await this.#outputs.load();
    this.#part.driver.onChange?.((change) => this.#heard(change));
    await this.#part.start();
    await this.#outputs.recover(left);
    if (!this.#part.present) return;
    for (const [pin, { label }] of this.#pins.entries()) {
      try {
        const level = await this.#part.use((driver) => driver.read(pin));
        if (this.#levels.of(pin) === undefined) this.#levels.learned({ pin, level });
        this.#outputs.noticed({ pin, level });
      } catch (error) {
        this.#log.warn({ err: error, pin: label }, 'gpio: could not read a pin at start');
      }
    }
    await this.#outputs.separate((pin) => this.#levels.of(pin));
  }

  /** Ends all pulses; then the driver drives the safe levels. */
  async stop(): Promise<void> {
    this.#page.stop();
    await this.#inTurn(() => this.#outputs.stop());
    this.#inputs.stop();
    this.#levels.stop();
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** Last level seen of each pin, for the first event of a listener. */
  snapshot(): PinState[] {
    return this.#levels.all;
  }

  /** Called with an edge at an input or output that the panel did not write itself; relays have none. */
  onInput(listener: (edge: PinState) => void): () => void {
    this.#onInput.add(listener);
    return () => this.#onInput.delete(listener);
  }

  /** Whether the page is shown: when it is lost for too long, outputs are made safe. */
  pageIs(isShown: boolean): void {
    this.#page.pageIs(isShown);
  }

  /**
   * @throws FaceplateError INVALID_REQUEST (no such pin), UNSUPPORTED_HARDWARE, CONFLICT, LOCKED_OUT, HARDWARE_ERROR (also
   * when another level is read back)
   */
  write({ pin, level }: ParamsOf<'gpio.write'>, { signal }: CallContext): Promise<ResultOf<'gpio.write'>> {
    if (level === 0 && pin < this.#pins.length) this.#outputs.switchOffMeanwhile(pin);
    return this.#queue.run(signal, async () => {
      this.#mustExist(pin);
      await this.#outputs.write(pin, level);
      return { status: 'ok', pin, level, ok: true };
    });
  }

  /**
   * Drives a pin for a time, then back. A write to the pin ends it, and another pulse begins it anew.
   * @throws FaceplateError INVALID_REQUEST (no such pin), UNSUPPORTED_HARDWARE, CONFLICT, LOCKED_OUT, STORAGE_FULL,
   * HARDWARE_ERROR; then the pin is set back
   */
  pulse(
    { pin, level, ms }: ParamsOf<'gpio.pulse'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'gpio.pulse'>> {
    return this.#queue.run(signal, async () => {
      this.#mustExist(pin);
      return { status: 'ok', pin, level, until: await this.#outputs.pulse(pin, level, ms) };
    });
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE */
  async list(): Promise<ResultOf<'gpio.list'>> {
    const levelOf = (pin: number) => this.#levels.of(pin);
    const pins = this.#pins.map(
      ({ label, kind }, pin): PinFacts => ({
        pin,
        label,
        kind,
        level: levelOf(pin) ?? null,
        since: this.#levels.since(pin),
        edges: this.#levels.edges(pin),
        pulseUntil: this.#outputs.until(pin),
        lockedBy: this.#outputs.lockedBy(pin, levelOf),
      }),
    );
    return this.#part.use(async () => ({ pins }));
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE */
  async edges({ limit }: ParamsOf<'gpio.edges'>): Promise<ResultOf<'gpio.edges'>> {
    const iso = (at: number) => new Date(at).toISOString();
    return this.#part.use(async () => ({
      edges: this.#edges.newest(limit),
      since: iso(this.#since),
      until: iso(this.#clock.wall()),
    }));
  }

  /** @throws FaceplateError INVALID_REQUEST (no such pin), UNSUPPORTED_HARDWARE, CONFLICT, HARDWARE_ERROR */
  read({ pin }: ParamsOf<'gpio.read'>, { signal }: CallContext): Promise<ResultOf<'gpio.read'>> {
    return this.#queue.run(signal, async () => {
      this.#mustExist(pin);
      const level = await this.#part.use((driver) => driver.read(pin));
      this.#heard({ pin, level });
      return { status: 'ok', pin, level, ok: true };
    });
  }

  /**
   * Changes a wire from outside.
   * @throws FaceplateError INVALID_REQUEST (no such pin), UNSUPPORTED_HARDWARE when the pins are real or absent
   */
  async simulate(change: PinState): Promise<void> {
    this.#mustExist(change.pin);
    await this.#part.use(async (driver) => {
      simulated(driver, 'The pins of this board are').simulate(change);
    });
  }

  #mustExist(pin: number): void {
    const count = this.#pins.length;
    if (this.#part.driver === null || pin < count) return;
    const sentence = count === 0 ? 'This board has no pins.' : `pin must be 0 to ${count - 1}.`;
    throw new FaceplateError('INVALID_REQUEST', sentence, { field: 'pin' });
  }

  #isRelay(pin: number): boolean {
    return this.#pins[pin]?.kind === 'relay';
  }

  /** In turn with the calls. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    return this.#queue.run(new AbortController().signal, work);
  }

  async #pageLost(): Promise<void> {
    this.#log.warn('gpio: the page is lost, outputs set to their safe state');
    await this.#outputs.makeSafe();
  }

  /** What comes from outside; contacts may bounce, relays do not. */
  #heard(change: PinChange): void {
    const isOwn = this.#writing?.pin === change.pin;
    if (!isOwn && !change.isSettled && !this.#isRelay(change.pin)) {
      this.#inputs.heard(change);
      return;
    }
    this.#inputs.forget(change.pin);
    this.#saw(change);
  }

  #saw(change: PinChange): void {
    const isOwn = this.#writing?.pin === change.pin && this.#writing.level === change.level;
    this.#outputs.noticed(change);
    this.#levels.saw(change, isOwn);
  }

  #announce({ pin, level }: PinState, isOwn: boolean): void {
    this.#events.emit('gpio', { pin, level });
    if (isOwn || this.#isRelay(pin)) return;
    for (const listener of this.#onInput) listener({ pin, level });
  }
}
