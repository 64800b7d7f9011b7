import type { PartInfo } from '../../contract/system.ts';
import { lookAgain } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import { Device, simulated } from '../device.ts';
import type { ButtonChange, ButtonsDriver } from './driver.ts';

interface ButtonsOptions {
  /** null where the board has no buttons. */
  readonly driver: ButtonsDriver | null;
  readonly clock: Clock;
  readonly events: EventBus;
  /** Somebody uses the panel. */
  readonly activity: () => void;
  readonly log: Logger;
}

/** The buttons beside the glass: each press is an event, and counts as a touch for the idle time. */
export class ButtonsService {
  readonly #part: Device<ButtonsDriver>;
  readonly #options: ButtonsOptions;
  #endLook = () => {};

  constructor(options: ButtonsOptions) {
    this.#options = options;
    this.#part = new Device('buttons', options.driver, options.log);
  }

  async start(): Promise<void> {
    this.#part.driver?.onChange((change) => this.#heard(change));
    await this.#part.start();
    this.#endLook = lookAgain(this.#part, this.#options.clock);
  }

  async stop(): Promise<void> {
    this.#endLook();
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** The names that the board profile gives; empty where the part is absent. */
  get names(): readonly string[] {
    return this.#part.present ? (this.#part.driver?.names ?? []) : [];
  }

  /**
   * Presses or releases a button.
   * @throws FaceplateError UNSUPPORTED_HARDWARE when the buttons are real or absent
   */
  async simulate({ name, state }: ButtonChange): Promise<void> {
    await this.#part.use(async (driver) => {
      simulated(driver, 'The buttons of this board are').simulate({ name, state });
    });
  }

  #heard(change: ButtonChange): void {
    this.#options.activity();
    this.#options.events.emit('button', change);
  }
}
