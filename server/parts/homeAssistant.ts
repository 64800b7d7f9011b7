import type { CommandName, ParamsOf } from '../contract/commands.ts';
import type { EventName, EventPayload } from '../contract/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { PinState } from './gpio/contract.ts';
import { type LightPayload, lightPayload } from './homeAssistantContract.ts';

/** A payload that an entity cannot take: nothing changes. The sentence never holds the payload. */
export class InvalidPayload extends Error {}

/** Carries a command out as a caller on the broker. @throws FaceplateError */
export type Call = <N extends CommandName>(name: N, params: ParamsOf<N>) => Promise<unknown>;

/** Topics of this panel. */
export interface Topics {
  /** `<prefix>/<id>` */
  readonly base: string;
  /** State of a part, as the panel publishes it. */
  state(part: string): string;
  /** State of an entity that no part has in its form. */
  own(key: string): string;
}

/** What one entity is in Home Assistant, what it shows, and what becomes of its payloads. */
export interface Entity {
  /** One level of a topic; together with the id of the panel the identity of the entity. */
  readonly key: string;
  readonly platform: string;
  readonly name: string;
  /**
   * It has a discovery message of its own, at this level of the topic: where its platform is newer than the oldest Home
   * Assistant, which would refuse the whole device.
   */
  readonly alone?: string;
  /** What it needs: without the scope of this command there is no such entity. */
  readonly needs?: CommandName;
  /** Keys of the discovery message beside name, ids and the topic of commands. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Its state at `entity/<key>`, retained. */
  readonly state?: string;
  /**
   * Takes a payload of `set/<key>`.
   * @throws InvalidPayload before anything is changed
   * @throws FaceplateError of the command
   */
  readonly set?: (payload: string, call: Call) => Promise<void>;
}

/** What entities are made from. */
export interface EntityContext<Now> {
  /** The part as it is now. */
  readonly now: Now;
  readonly topics: Topics;
  /** A name in the language of the panel. */
  readonly word: (en: string, de: string, es: string) => string;
  /** Whether callers on the broker may use a command. */
  readonly may: (command: CommandName) => boolean;
}

/** Entities that are together in the discovery message. */
export interface EntityGroup<Now> {
  /** Their place in the message: it stays the same from version to version. */
  readonly order: number;
  /** None of what the panel lacks. */
  entities(context: EntityContext<Now>): Entity[];
}

/** What happens at the panel: its events, and what has no event. */
export type PanelEvents = { readonly [N in EventName]: EventPayload<N> } & {
  /** An edge at an input that the panel did not write itself. */
  readonly input: PinState;
  /** Somebody uses the panel. Called often: for every touch. */
  readonly activity: undefined;
};

/** What a part is in Home Assistant. `Now` is what it has to know of the panel. */
export interface PartEntities<Now> {
  readonly groups: readonly EntityGroup<Now>[];
  /** What it hears of the panel; `now` is undefined before the first announcement. */
  readonly heard?: {
    readonly [N in keyof PanelEvents]?: (payload: PanelEvents[N], now: Now | undefined) => void;
  };
  /** The device was announced, on a new connection. */
  announced?(context: Pick<EntityContext<Now>, 'now' | 'may'>): void;
  /** Ends its timers. */
  stop?(): void;
}

/** What the entities of a part may use, for as long as one set of settings of the broker holds. */
export interface EntityHost {
  readonly clock: Clock;
  readonly log: Logger;
  /** JPEG of what the screen shows. @throws while there is no picture */
  picture(): Promise<Uint8Array>;
  /** The state of an entity is another. */
  changed(): void;
  /** Sends an event of an entity, which the broker does not keep. Never throws. */
  tell(key: string, event: object): void;
  /** Sends what an entity shows beside its state, which the broker keeps. Never throws. */
  show(key: string, bytes: Uint8Array): void;
}

/** What each `homeAssistant.ts` exports under the name `homeAssistant`. */
export type EntityMaker<Now> = (host: EntityHost) => PartEntities<Now>;

/** The payloads of a switch. @throws InvalidPayload */
export function onOrOff(payload: string): boolean {
  if (payload !== 'ON' && payload !== 'OFF') throw new InvalidPayload('must be ON or OFF');
  return payload === 'ON';
}

/** `ON` or `OFF`, as Home Assistant reads states. */
export const switched = (on: boolean) => (on ? 'ON' : 'OFF');

/** A button: any payload but `PRESS` is a mistake. @throws InvalidPayload */
export function mustPress(payload: string): void {
  if (payload !== 'PRESS') throw new InvalidPayload('must be PRESS');
}

/** The JSON object of a payload. @throws InvalidPayload */
export function jsonObject(payload: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    throw new InvalidPayload('must be JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidPayload('must be a JSON object');
  return value as Record<string, unknown>;
}

/** What the discovery message says of a light. */
export function lightConfig(mode: 'rgb' | 'brightness' | 'onoff') {
  return {
    schema: 'json',
    supported_color_modes: [mode],
    // Without it, Home Assistant multiplies the brightness into the colour.
    ...(mode !== 'onoff' && { brightness: true }),
    flash: false,
    transition: false,
  };
}

/** The payload of a light. @throws InvalidPayload */
export function lightOf(payload: string): LightPayload {
  const parsed = lightPayload.safeParse(jsonObject(payload));
  if (!parsed.success) throw new InvalidPayload('must be the JSON of a light: state, brightness, color');
  return parsed.data;
}

/** Letters of Latin scripts that are no letter with a mark. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};

/** A name as a part of an entity's id: small letters, digits and `_`; `otherwise` where nothing is left. */
export function slugOf(name: string, otherwise: string): string {
  const plain = name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]/g, (letter) => SPELLED[letter] ?? '_');
  return plain.replaceAll(/_+/g, '_').replaceAll(/^_|_$/g, '') || otherwise;
}

/** The same for several names: equal ones get a number. */
export function slugsOf(names: readonly string[], otherwise: string): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const slug = slugOf(name, otherwise);
    let free = slug;
    for (let number = 2; taken.has(free); number++) free = `${slug}_${number}`;
    taken.add(free);
    return free;
  });
}
