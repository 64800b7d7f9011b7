import type { Clock } from '../../platform/clock.ts';
import { StateFile, type StateKind } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import { type SetupRecord, type SetupStep, setupRecord, setupSteps } from './contract.ts';

export interface FirstSetupOptions {
  /** What was done is stored in `<dataDir>/setup.json`. */
  readonly dataDir: string;
  /** The setting `wizard`: whether this panel asks at all. */
  readonly isWanted: boolean;
  /** Whether nothing was ever set on this panel. Asked once, at the start. */
  readonly isFresh: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long the first picture of a project is shown before the hint covers it, in milliseconds. */
const HINT_AFTER_MS = 2_000;

export const setupKind: StateKind<SetupRecord> = {
  name: 'setup',
  schema: setupRecord,
  // Version 2 has the steps that were answered elsewhere. In version 3 the PIN comes after network and time.
  steps: [(value) => value, pinIsLater],
  defaults: { step: null, hinted: false, given: [] },
};

/** Who was asked for the PIN was not asked for network and time yet. */
function pinIsLater(value: unknown): unknown {
  const record = value as { step?: unknown };
  return record.step === 'pin' ? { ...record, step: 'network' } : value;
}

/**
 * The first set-up of an installed panel: whether there is one to do, and how far it is. It can be left and taken up
 * again, also after a restart. A panel that was set up before this existed is not asked.
 */
export class FirstSetup {
  readonly #options: FirstSetupOptions;
  readonly #file: StateFile<SetupRecord>;
  #isFresh = false;
  #hinted = false;
  #cancelHint = (): void => {};

  constructor(options: FirstSetupOptions) {
    this.#options = options;
    this.#file = StateFile.of(setupKind, options.dataDir, options.log);
  }

  async start(): Promise<void> {
    this.#hinted = (await this.#file.load()).hinted;
    this.#isFresh = this.#options.isFresh();
  }

  async stop(): Promise<void> {
    this.#cancelHint();
  }

  /** The step to go on with; null when there is nothing to do. */
  get step(): SetupStep | null {
    const { step } = this.#file.value;
    if (!this.#options.isWanted || step === 'done') return null;
    return step ?? (this.#isFresh ? 'language' : null);
  }

  /** Opens a step, and skips those that were answered elsewhere. @throws FaceplateError STORAGE_FULL */
  async note(step: SetupStep): Promise<void> {
    const { given } = this.#file.value;
    const from = this.step;
    const isBack = from !== null && setupSteps.indexOf(step) < setupSteps.indexOf(from);
    const towards = isBack
      ? setupSteps.slice(0, setupSteps.indexOf(step) + 1).reverse()
      : setupSteps.slice(setupSteps.indexOf(step));
    const asked = towards.find((one) => !given.includes(one)) ?? from ?? step;
    await this.#file.save({ ...this.#file.value, step: asked });
  }

  /** Somebody has answered these steps elsewhere: only the others are asked. @throws FaceplateError STORAGE_FULL */
  async noteGiven(steps: readonly SetupStep[]): Promise<void> {
    const { step } = this;
    if (step === null || steps.length === 0) return;
    const all = new Set([...this.#file.value.given, ...steps]);
    // Who was asked nothing needs no phone either.
    if (setupSteps.every((one) => one === 'phone' || one === 'done' || all.has(one))) all.add('phone');
    const given = setupSteps.filter((one) => all.has(one));
    await this.#file.save({ ...this.#file.value, step, given });
    await this.note(step);
  }

  /** A project is on the screen: the first time on this panel, a hint says how the settings are opened. */
  projectShown(hint: () => void): void {
    if (!this.#options.isWanted || this.#hinted || this.step !== null) return;
    this.#cancelHint();
    this.#cancelHint = this.#options.clock.after(HINT_AFTER_MS, () => {
      this.#hinted = true;
      hint();
      this.#file
        .save({ ...this.#file.value, hinted: true })
        .catch((error: unknown) =>
          this.#options.log.warn({ err: error }, 'kiosk: could not record that the hint was shown'),
        );
    });
  }
}
