/** A setting that the panel has taken back, because it could not start or show a picture with it. */
export interface Undone {
  /** Its key; `settings.json` for the whole file, `display.zoom` and `display.rotation` for the view. */
  readonly setting: string;
  /** In words, never with a value. */
  readonly reason: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
}

/** What the panel has taken back, until somebody changes it. */
export class UndoneSettings {
  readonly #entries: Map<string, Undone>;
  readonly #onChange = new Set<() => void>();
  readonly #now: () => Date;

  constructor(entries: readonly Undone[], now = () => new Date()) {
    this.#entries = new Map(entries.map((entry) => [entry.setting, entry]));
    this.#now = now;
  }

  /** By setting. */
  readonly list = (): Undone[] =>
    [...this.#entries.values()].sort((one, other) => (one.setting < other.setting ? -1 : 1));

  has(setting: string): boolean {
    return this.#entries.has(setting);
  }

  /** Says that a setting is not followed now. */
  tell(setting: string, reason: string): void {
    if (this.#entries.get(setting)?.reason === reason) return;
    this.#entries.set(setting, { setting, reason, at: this.#now().toISOString() });
    this.#tell();
  }

  /** Somebody changed these settings, or they are followed again. */
  forget(settings: readonly string[]): void {
    const gone = settings.filter((setting) => this.#entries.delete(setting));
    if (gone.length > 0) this.#tell();
  }

  /** Calls `act` after each change of the list. */
  onChange(act: () => void): void {
    this.#onChange.add(act);
  }

  #tell(): void {
    for (const act of this.#onChange) act();
  }
}
