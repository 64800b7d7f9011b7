import { randomUUID } from 'node:crypto';
import { StateFile, type StateKind } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import { type SipPreferences, sipPreferences } from '../sipContract.ts';

export const preferencesKind: StateKind<SipPreferences> = {
  name: 'intercom',
  schema: sipPreferences,
  defaults: { panelId: '', micMuted: false, callVolume: 7, doNotDisturb: false },
};

/** What the panel's users have chosen, in `<dataDir>/intercom.json`. */
export class Preferences {
  readonly #file: StateFile<SipPreferences>;
  readonly #log: Logger;
  #values: SipPreferences = preferencesKind.defaults;
  #saving: Promise<void> = Promise.resolve();

  constructor(dataDir: string, log: Logger) {
    this.#file = StateFile.of(preferencesKind, dataDir, log);
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#values = await this.#file.load();
    if (this.#values.panelId === '') this.change({ panelId: randomUUID() });
  }

  /** Stops; resolves once everything is on disk. */
  async stop(): Promise<void> {
    await this.#saving;
  }

  get values(): Readonly<SipPreferences> {
    return this.#values;
  }

  /** Applies at once; if it cannot be written, until the next start. */
  change(values: Partial<SipPreferences>): void {
    this.#values = { ...this.#values, ...values };
    this.#saving = this.#file
      .save(this.#values)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'intercom: could not write the preferences'));
  }
}
