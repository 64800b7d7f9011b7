import { type Clock, systemClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { IdleState } from '../display/contract.ts';
import { type IdlePage, type IdleSaver, type IdleScreen, IdleView } from './idleView.ts';

/** When what happens, in seconds since the last activity; 0 = never. Read anew whenever it matters. */
export interface IdleSettings {
  readonly dimAfter: number;
  /** Percent. */
  readonly dimTo: number;
  readonly saverAfter: number;
  /** `clock`, `black`, `photos` or an address. */
  readonly saver: string;
  readonly offAfter: number;
  readonly homeAfter: number;
  readonly clearAtHome: boolean;
  /** Pins whose edge is activity. */
  readonly wakePins: readonly number[];
}

interface IdleOptions {
  readonly settings: () => IdleSettings;
  readonly screen: IdleScreen;
  readonly saver: IdleSaver;
  readonly page: IdlePage;
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** Timers of more than 24 days would run at once (setTimeout). */
const MAX_WAIT_MS = 24 * 3_600_000;

/**
 * What the screen does while the panel is idle, and the one owner of its light: schedule, callers and the time since
 * the last activity all ask here.
 */
export class IdleService {
  readonly #options: IdleOptions;
  readonly #clock: Clock;
  readonly #view: IdleView;
  readonly #holds: Holds;
  #running = false;
  /** Steady time from which the idle times count. */
  #since = 0;
  /** Why the light is off beside the time: the schedule sleeps, or a caller asked for it. */
  #isAsleep = false;
  #isAskedOff = false;
  /** Whether the panel has gone home since the last activity. */
  #isHome = false;
  #cancelTimer: (() => void) | undefined;
  #endEvents = (): void => {};
  readonly #activityListeners = new Set<() => void>();

  constructor(options: IdleOptions) {
    this.#options = options;
    const { screen, saver, clock = systemClock, log } = options;
    this.#clock = clock;
    this.#view = new IdleView({ screen, saver, onTouch: () => this.activity(), clock, log });
    this.#holds = new Holds(clock);
  }

  get state(): IdleState {
    return this.#view.state;
  }

  async start(): Promise<void> {
    const { events } = this.#options;
    this.#running = true;
    this.#since = this.#clock.now();
    this.#holds.touched();
    this.#endEvents = events.onAny((name, payload) => {
      if (name === 'gpio') this.#pinChanged((payload as { pin: number }).pin);
      if (name === 'sip') this.#callChanged(payload as { event: string; payload: object });
    });
    this.#look();
  }

  /** Leaves the screen lit, without a saver. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#endEvents();
    this.#cancelTimer?.();
    await this.#view.show({ state: 'active', dimTo: null, saver: null });
  }

  /** A person, or what counts as one, uses the panel: it wakes. Cheap: it may be called for every touch. */
  activity(): void {
    if (!this.#running) return;
    this.#holds.touched();
    this.#since = this.#clock.now();
    this.#isAskedOff = false;
    this.#isHome = false;
    const wasAsleep = this.#isAsleep;
    this.#isAsleep = false;
    // Before the listeners: the schedule is one of them, which has more to do, and the light comes at once.
    if (wasAsleep || this.#view.state !== 'active' || this.#cancelTimer === undefined) this.#look();
    for (const listener of this.#activityListeners) listener();
  }

  /** Calls `listener` at every activity, which may be often: it must be cheap. @returns the function that ends it */
  onActivity(listener: () => void): () => void {
    this.#activityListeners.add(listener);
    return () => this.#activityListeners.delete(listener);
  }

  /** As `activity`; resolves once the screen shows it. */
  async wakeUp(): Promise<void> {
    this.activity();
    await this.#view.settled();
  }

  /** Switches the light off until the next activity, or on; resolves once the screen shows it. */
  async switchTo(on: boolean): Promise<void> {
    if (on) return this.wakeUp();
    this.#isAskedOff = true;
    this.#look();
    await this.#view.settled();
  }

  /** The schedule sleeps: dark until `wake` or an activity. */
  async sleep(): Promise<void> {
    this.#isAsleep = true;
    this.#look();
    await this.#view.settled();
  }

  /** The schedule wakes; the idle times begin anew where it was dark. */
  async wake(): Promise<void> {
    if (this.#isAsleep) {
      this.#isAsleep = false;
      this.#isAskedOff = false;
      this.#since = this.#clock.now();
      this.#look();
    }
    await this.#view.settled();
  }

  /**
   * Wakes the panel and keeps it awake, as long as a message is shown for example; at most 12 hours after the last
   * activity. @returns the function that ends it, safe to call twice
   */
  hold(): () => void {
    this.activity();
    const end = this.#holds.add();
    return () => {
      if (!end()) return;
      this.#since = this.#clock.now();
      this.#look();
    };
  }

  /** The page plays a video or holds a wake lock that keeps the panel awake; it says so about every second. */
  pageHolds(): void {
    if (!this.#running || this.#view.state !== 'active' || !this.#holds.isAllowed) return;
    this.#since = this.#clock.now();
  }

  /** The settings have changed. */
  follow(): void {
    this.#look();
  }

  /** A call is over of which no event says so: it was ignored. */
  callIgnored(callId: string): void {
    this.#holds.end(`call ${callId}`);
    this.activity();
  }

  #pinChanged(pin: number): void {
    if (this.#options.settings().wakePins.includes(pin)) this.activity();
  }

  #callChanged({ event, payload }: { event: string; payload: object }): void {
    const { callId = '' } = payload as { callId?: string };
    const { activeCount = 0 } = payload as { activeCount?: number };
    const holds = this.#holds;
    if (event === 'incomingCall' || event === 'callConnected') holds.begin(`call ${callId}`);
    else if (event === 'callEnded') holds.end(`call ${callId}`);
    else if (event === 'callFailed') holds.endAll('call ');
    else if (event !== 'pagingStatusChanged') return;
    else if (activeCount > 0) holds.begin('paging');
    else holds.end('paging');
    this.activity();
  }

  /** Compares what is with what should be by now, acts, and sets the timer for the next change. */
  #look(): void {
    if (!this.#running) return;
    const { settings } = this.#options;
    const now = this.#clock.now();
    const { dimAfter, dimTo, saverAfter, saver, offAfter, homeAfter } = settings();
    // While a caller keeps it awake, no time passes.
    if (this.#holds.isHeld) this.#since = now;
    const idle = now - this.#since;
    const isDue = (seconds: number) => seconds > 0 && idle >= seconds * 1_000;
    const isOff = this.#isAsleep || this.#isAskedOff || isDue(offAfter);
    const isSaver = !isOff && isDue(saverAfter);
    const isDimmed = !isOff && isDue(dimAfter);
    const state = isOff ? 'off' : isSaver ? 'saver' : isDimmed ? 'dimmed' : 'active';
    void this.#view.show({ state, dimTo: isDimmed ? dimTo : null, saver: isSaver ? saver : null });
    if (isDue(homeAfter) && !this.#isHome) {
      this.#isHome = true;
      void this.#goHome();
    }
    this.#lookAgain([dimAfter, saverAfter, offAfter, homeAfter], idle);
  }

  #lookAgain(times: readonly number[], idle: number): void {
    this.#cancelTimer?.();
    const waits = times.filter((seconds) => seconds > 0).map((seconds) => seconds * 1_000 - idle);
    const next = Math.min(...waits.filter((wait) => wait > 0));
    this.#cancelTimer = Number.isFinite(next)
      ? this.#clock.after(Math.min(Math.max(1, Math.ceil(next)), MAX_WAIT_MS), () => this.#look())
      : undefined;
  }

  async #goHome(): Promise<void> {
    const { page, settings, log } = this.#options;
    // As it is now: a change while the home page is loading counts for the next time.
    const { clearAtHome } = settings();
    try {
      await page.goHome();
      if (!clearAtHome) return;
      for (const origin of page.shownOrigins()) await page.clear(origin);
    } catch (error) {
      log.warn({ err: error }, 'idle: could not return to the home page');
    }
  }
}

/** Nothing keeps the panel awake for longer without an activity, in milliseconds: a page may forget its wake lock. */
const LONGEST_MS = 12 * 3_600_000;
/** More at a time are not distinguished: a flood keeps the panel awake with one. */
const MAX_NAMED = 64;

/** What keeps the panel awake. */
class Holds {
  readonly #clock: Clock;
  readonly #named = new Set<string>();
  #unnamed = 0;
  #touchedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#touchedAt = clock.now();
  }

  /** An activity: everything may keep the panel awake anew. */
  touched(): void {
    this.#touchedAt = this.#clock.now();
  }

  /** Whether something may still keep the panel awake. */
  get isAllowed(): boolean {
    return this.#clock.now() - this.#touchedAt < LONGEST_MS;
  }

  get isHeld(): boolean {
    return this.#unnamed + this.#named.size > 0 && this.isAllowed;
  }

  /** @returns the function that ends it; it returns false from the second call on */
  add(): () => boolean {
    this.#unnamed++;
    let isOpen = true;
    return () => {
      if (!isOpen) return false;
      isOpen = false;
      this.#unnamed--;
      return true;
    };
  }

  begin(name: string): void {
    if (this.#named.size < MAX_NAMED) this.#named.add(name);
  }

  end(name: string): void {
    this.#named.delete(name);
  }

  endAll(prefix: string): void {
    for (const name of [...this.#named]) if (name.startsWith(prefix)) this.#named.delete(name);
  }
}
