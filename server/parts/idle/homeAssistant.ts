import type { CallStatus } from '../../intercom/sipContract.ts';
import type { Clock } from '../../platform/clock.ts';
import { idleStates } from '../display/contract.ts';
import { type EntityHost, type PartEntities, switched } from '../homeAssistant.ts';

/** How long the panel counts as used after an activity, in milliseconds. */
const IN_USE_MS = 60_000;

interface IdleNow {
  readonly intercom: { readonly callStatus: CallStatus } | undefined;
}

/** Whether somebody uses the panel. */
export const homeAssistant = ({ clock, changed }: EntityHost): PartEntities<IdleNow> => {
  const inUse = new InUse(clock, changed);
  return {
    groups: [
      {
        order: 150,
        entities: ({ now: { intercom }, topics, word }) => [
          {
            key: 'in_use',
            platform: 'binary_sensor',
            name: word('In use', 'In Benutzung', 'En uso'),
            config: { device_class: 'occupancy' },
            state: switched(inUse.recent || isInCall(intercom?.callStatus)),
          },
          {
            key: 'idle',
            platform: 'sensor',
            name: word('Idle state', 'Ruhezustand', 'Estado de reposo'),
            config: {
              device_class: 'enum',
              options: [...idleStates],
              state_topic: topics.state('display'),
              value_template: '{{ value_json.idle }}',
              icon: 'mdi:timer-sand',
            },
          },
        ],
      },
    ],
    heard: { activity: () => inUse.activity() },
    stop: () => inUse.stop(),
  };
};

/** Whether somebody uses the panel: for a minute from the last activity, and in a call. */
class InUse {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #lastAt: number | undefined;
  #cancel: (() => void) | undefined;

  /** @param onChange called when `recent` has changed */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Cheap: it is called for every touch, and sets one timer a minute. */
  activity(): void {
    const wasRecent = this.recent;
    this.#lastAt = this.#clock.now();
    this.#cancel ??= this.#clock.after(IN_USE_MS, () => this.#look());
    if (!wasRecent) this.#onChange();
  }

  /** Whether there was an activity within the last minute. */
  get recent(): boolean {
    return this.#lastAt !== undefined && this.#clock.now() - this.#lastAt < IN_USE_MS;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #look(): void {
    this.#cancel = undefined;
    if (!this.recent) {
      this.#onChange();
      return;
    }
    const left = IN_USE_MS - (this.#clock.now() - this.#lastAt!);
    this.#cancel = this.#clock.after(left, () => this.#look());
  }
}

/** Whether this panel is in a call or makes one. */
function isInCall(status: CallStatus | undefined): boolean {
  return status !== undefined && status !== 'idle' && status !== 'failed';
}
