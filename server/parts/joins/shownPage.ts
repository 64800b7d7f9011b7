import type { CommandName } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { JoinMessage } from '../../contract/pageBridge.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Join, type JoinKind, join, MOST_TEXT } from './contract.ts';
import type { JoinCall, JoinEntry } from './joinsFile.ts';
import { isReserved, ReservedJoins } from './reserved.ts';

/** A button that is held says so every 200 ms; without a word it counts as let go, in milliseconds. */
const HELD_MS = 1_000;

/** One document of a project with joins, as the bridge offers it. */
export interface JoinsPage {
  readonly origin: string;
  send(messages: readonly JoinMessage[]): void;
  /** Makes a call with the rights of the page. @throws FaceplateError */
  call(command: CommandName, params: unknown): Promise<unknown>;
  /** Hears what is for this page alone. */
  hear(listener: (name: string, payload: unknown) => void): void;
}

interface ShownPageOptions {
  readonly page: JoinsPage;
  readonly version: string;
  buttons(): readonly string[];
  entryOf(kind: JoinKind, name: string): JoinEntry | undefined;
  /** What the project sent last. */
  lastOf(kind: JoinKind, name: string): Join['value'] | undefined;
  /** Remembers and announces a value. @returns why it is not taken */
  sent(value: Join): string | undefined;
  /** All that the page gets at its load. */
  values(snapshot: Snapshot): JoinMessage[];
  note(what: string, error: unknown): void;
  onEnd(): void;
  readonly clock: Clock;
}

/** The joins of one document: what it sends, until it is gone. */
export class ShownPage {
  readonly #options: ShownPageOptions;
  readonly #outbox: Outbox;
  readonly #reserved: ReservedJoins;
  /** Joins that are true in this document. */
  readonly #pressed = new Set<string>();
  /** Buttons that are held: what ends the wait for their next word. */
  readonly #held = new Map<string, () => void>();
  #hasBegun = false;
  #hasEnded = false;

  constructor(options: ShownPageOptions) {
    this.#options = options;
    const { page, version, buttons } = options;
    this.#outbox = new Outbox((messages) => page.send(messages));
    this.#reserved = new ReservedJoins({
      version,
      buttons,
      call: (command, params) => this.#call(command, () => params, command),
    });
  }

  /** Gives the page all values, and from then on each new one. */
  begin(snapshot: Snapshot): void {
    const values = this.#options.values(snapshot);
    this.#hasBegun = true;
    this.#outbox.push(...this.#reserved.around(values, snapshot));
  }

  /** A value for the page. */
  push(message: JoinMessage): void {
    // Values that come before the first ones are among them.
    if ((this.#hasBegun || message[0] === 'note') && !this.#hasEnded) this.#outbox.push(message);
  }

  taken(): void {
    this.#outbox.taken();
  }

  panelAnnounced(name: string, payload: unknown): void {
    for (const message of this.#reserved.of(name, payload)) this.push(message);
  }

  /** A value that the page sends. Never throws. */
  heard(kind: string, name: unknown, value: unknown): void {
    if (kind === 'object') {
      const isHeld = heldIn(value);
      if (isHeld !== undefined && typeof name === 'string') this.#hold(name, isHeld);
      return;
    }
    const read = join.safeParse({ kind, name, value });
    if (!read.success) {
      const sentence = 'A name has 1 to 64 characters, a value fits its kind, and a text has at most 16,384.';
      this.#options.note('a value is not taken', new FaceplateError('INVALID_REQUEST', sentence));
      return;
    }
    if (kind === 'boolean') this.#letGo(read.data.name);
    this.#take(read.data);
  }

  /** The document is gone: what it held is let go. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const name of [...this.#held.keys()]) this.#hold(name, false);
    this.#options.onEnd();
  }

  /** A button is held, or let go. */
  #hold(name: string, isHeld: boolean): void {
    const wasHeld = this.#letGo(name);
    const read = join.safeParse({ kind: 'boolean', name, value: isHeld });
    if (!read.success) return;
    if (isHeld)
      this.#held.set(
        name,
        this.#options.clock.after(HELD_MS, () => this.#hold(name, false)),
      );
    // Said again and again, it is one press.
    if (!(isHeld && wasHeld)) this.#take(read.data);
  }

  /** @returns whether the button was held */
  #letGo(name: string): boolean {
    const cancel = this.#held.get(name);
    cancel?.();
    return this.#held.delete(name);
  }

  #take(value: Join): void {
    const { kind, name } = value;
    const { entryOf, lastOf, sent, note } = this.#options;
    const before = lastOf(kind, name);
    const entry = entryOf(kind, name);
    if (isReserved(name)) {
      this.#reserved.heard(name, value.value);
      if (entry === undefined) return;
    } else {
      const refusal = sent(value);
      if (refusal !== undefined) {
        this.#letGo(name);
        note(`${kind}.${name} is not taken`, new FaceplateError('CONFLICT', refusal));
        return;
      }
    }
    const isPress = value.value === true && !this.#pressed.has(name);
    if (value.value === true) this.#pressed.add(name);
    else if (kind === 'boolean') this.#pressed.delete(name);
    if (isPress && entry?.press) this.#run(entry.press, value, 'press');
    if (before !== value.value && entry?.change) this.#run(entry.change, value, 'change');
  }

  #run({ command, paramsFor }: JoinCall, { kind, name, value }: Join, how: string): void {
    void this.#call(command, () => paramsFor(value), `${kind}.${name}.${how}`);
  }

  /** Never rejects: a failed call is reported. */
  async #call(command: CommandName, params: () => unknown, what: string): Promise<void> {
    try {
      await this.#options.page.call(command, params());
    } catch (error) {
      this.#options.note(what, error);
    }
  }
}

/** Whether a button is held, as an object of its library says; undefined: it says something else. */
function heldIn(text: unknown): boolean | undefined {
  if (typeof text !== 'string' || text.length > MOST_TEXT) return undefined;
  try {
    const { repeatdigital } = JSON.parse(text) as Record<string, unknown>;
    return typeof repeatdigital === 'boolean' ? repeatdigital : undefined;
  } catch {
    return undefined;
  }
}

/** Longest message, in characters of its texts, and most values in it. */
const BATCH_CHARS = 256 * 1024;
const BATCH = 500;
/** So many values wait for a page that is slow; then only the last of each join. */
const MOST_WAITING = 10_000;
const MOST_CHARS = 4 * 1024 * 1024;

/** What is on its way to a page: one message at a time, in order. */
export class Outbox {
  readonly #send: (messages: readonly JoinMessage[]) => void;
  #waiting: JoinMessage[] = [];
  #chars = 0;
  /** What a page may hold that has one value for each join. */
  #mostChars = MOST_CHARS;
  #isFree = true;

  constructor(send: (messages: readonly JoinMessage[]) => void) {
    this.#send = send;
  }

  push(...messages: readonly JoinMessage[]): void {
    for (const message of messages) {
      this.#waiting.push(message);
      this.#chars += charsOf(message);
    }
    if (this.#waiting.length > MOST_WAITING || this.#chars > this.#mostChars) this.#leaveOut();
    this.#next();
  }

  /** The page has taken the last message. */
  taken(): void {
    this.#isFree = true;
    this.#next();
  }

  #next(): void {
    if (!this.#isFree || this.#waiting.length === 0) return;
    let count = 0;
    for (let chars = 0; count < this.#waiting.length && count < BATCH && chars < BATCH_CHARS; count++)
      chars += charsOf(this.#waiting[count]!);
    const batch = this.#waiting.splice(0, count);
    for (const message of batch) this.#chars -= charsOf(message);
    this.#isFree = false;
    this.#send(batch);
  }

  /** Leaves the last value of each join, in their order. */
  #leaveOut(): void {
    const last = new Map<string, JoinMessage>();
    for (const message of this.#waiting) {
      const key = `${message[0]}/${message[1]}`;
      last.delete(key);
      last.set(key, message);
    }
    this.#waiting = [...last.values()];
    this.#chars = this.#waiting.reduce((sum, message) => sum + charsOf(message), 0);
    this.#mostChars = MOST_CHARS + 2 * this.#chars;
  }
}

function charsOf([, name, value]: JoinMessage): number {
  return name.length + (typeof value === 'string' ? value.length : 100);
}
