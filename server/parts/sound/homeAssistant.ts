import { commands } from '../../contract/commands.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  type Call,
  type EntityHost,
  InvalidPayload,
  jsonObject,
  type PartEntities,
  switched,
} from '../homeAssistant.ts';
import { type SirenPayload, type SoundName, sirenPayload, soundNames } from './contract.ts';

/** How often one call plays a sound at most; a longer duration takes further calls. */
const MANY = 100;

interface SoundNow {
  readonly hasSound: boolean;
}

/** What the panel says and plays. */
export const homeAssistant = ({ clock, changed }: EntityHost): PartEntities<SoundNow> => {
  const siren = new Siren(clock, changed);
  return {
    groups: [
      {
        order: 90,
        entities: ({ now, word }) =>
          now.hasSound
            ? [
                {
                  key: 'speak',
                  platform: 'notify',
                  name: word('Speech', 'Durchsage', 'Voz'),
                  needs: 'sound.speak',
                  config: { icon: 'mdi:account-voice' },
                  set: speak,
                },
                {
                  key: 'siren',
                  platform: 'siren',
                  name: word('Sound', 'Ton', 'Sonido'),
                  needs: 'sound.play',
                  config: {
                    available_tones: [...soundNames],
                    support_duration: true,
                    support_volume_set: true,
                    icon: 'mdi:bullhorn',
                  },
                  state: siren.state,
                  set: (payload, call) => siren.set(payload, call),
                },
              ]
            : [],
      },
    ],
    heard: {
      sound: ({ id, action }) => {
        if (action !== 'started') siren.ended(id);
      },
    },
    stop: () => siren.stop(),
  };
};

/** @throws InvalidPayload, FaceplateError */
async function speak(payload: string, call: Call): Promise<void> {
  const spoken = commands['sound.speak'].params.safeParse({ text: payload });
  if (!spoken.success) throw new InvalidPayload('must be a text of 1 to 2,000 characters');
  await call('sound.speak', spoken.data);
}

/** A sound that this siren plays. */
interface Playing {
  readonly tone: SoundName;
  /** 0 to 1. */
  readonly volume: number | undefined;
  /** Of the sound; undefined until it is answered. */
  id: string | undefined;
  /** Steady time at which it ends; undefined: after the sound. */
  readonly until: number | undefined;
  readonly call: Call;
  cancelEnd: () => void;
}

/** The sounds of the panel, as a siren of Home Assistant: on while the sound lasts that was asked for last. */
class Siren {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #playing: Playing | undefined;

  /** @param onChange called when `state` has changed */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get state(): string {
    const { tone, volume } = this.#playing ?? {};
    return JSON.stringify({
      state: switched(this.#playing !== undefined),
      ...(tone !== undefined && { tone }),
      ...(volume !== undefined && { volume_level: volume }),
    });
  }

  stop(): void {
    this.#playing?.cancelEnd();
    this.#playing = undefined;
  }

  /** @throws InvalidPayload, FaceplateError */
  async set(payload: string, call: Call): Promise<void> {
    const { state, tone, volume_level: volume, duration } = sirenOf(payload);
    if (state === 'OFF') return this.#silence(call);
    this.#playing?.cancelEnd();
    const playing: Playing = {
      tone,
      volume,
      id: undefined,
      until: duration ? this.#clock.now() + duration * 1_000 : undefined,
      call,
      cancelEnd: () => {},
    };
    // What plays for this siren gives way at once; sounds of others are not its own.
    if (this.#playing !== undefined) await this.#silence(call);
    this.#playing = playing;
    await this.#play(playing);
    if (duration !== undefined && duration > 0 && this.#playing === playing)
      playing.cancelEnd = this.#clock.after(duration * 1_000, () => {
        this.#silence(call).catch(() => {});
      });
  }

  /** A sound has ended: one that has time left plays again. */
  ended(id: string): void {
    const playing = this.#playing;
    if (playing === undefined || playing.id !== id) return;
    if (playing.until !== undefined && playing.until > this.#clock.now()) {
      this.#play(playing).catch(() => {});
      return;
    }
    this.#gone(playing);
  }

  async #play(playing: Playing): Promise<void> {
    const { tone, volume, until, call } = playing;
    try {
      const answer = await call('sound.play', {
        name: tone,
        ...(volume !== undefined && { volume: Math.round(volume * 100) }),
        ...(until !== undefined && { repeat: MANY }),
      });
      playing.id = (answer as { id: string }).id;
      this.#onChange();
    } catch (error) {
      this.#gone(playing);
      throw error;
    }
  }

  async #silence(call: Call): Promise<void> {
    const playing = this.#playing;
    if (playing !== undefined) this.#gone(playing);
    await call('sound.stop', {});
  }

  #gone(playing: Playing): void {
    playing.cancelEnd();
    if (this.#playing !== playing) return;
    this.#playing = undefined;
    this.#onChange();
  }
}

/** Home Assistant sends JSON; `ON` and `OFF` alone mean the same. @throws InvalidPayload */
function sirenOf(payload: string): SirenPayload {
  const value = payload === 'ON' || payload === 'OFF' ? { state: payload } : jsonObject(payload);
  const parsed = sirenPayload.safeParse(value);
  if (!parsed.success)
    throw new InvalidPayload('must be the JSON of a siren: state, tone, volume_level, duration');
  return parsed.data;
}
