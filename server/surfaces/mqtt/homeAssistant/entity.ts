import type { Scope } from '../../../contract/access.ts';
import { type CommandName, commands, type ParamsOf } from '../../../contract/commands.ts';
import type { PanelNow } from './panel.ts';
import type { Word } from './words.ts';

/** A payload that an entity cannot take: nothing changes. The sentence never holds the payload. */
export class Misfit extends Error {}

/** Carries a command out as a caller on the broker. @throws FaceplateError */
export type Call = <N extends CommandName>(name: N, params: ParamsOf<N>) => Promise<unknown>;

/** Topics of this panel. */
export interface Topics {
  /** `<prefix>/<id>` */
  readonly base: string;
  /** State of a part, as the states of this panel stand on the broker. */
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
  /** What it needs: without the scope of this command there is no such entity. */
  readonly needs?: CommandName;
  /** Keys of the discovery message beside name, ids and the topic of commands. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Its state at `entity/<key>`, retained. */
  readonly state?: string;
  /**
   * Takes a payload of `set/<key>`.
   * @throws Misfit before anything is changed
   * @throws FaceplateError of the command
   */
  readonly set?: (payload: string, call: Call) => Promise<void>;
}

/** What the entities of one subject are made from. */
export interface EntityContext {
  readonly now: PanelNow;
  readonly topics: Topics;
  readonly word: Word;
}

/** Whether callers on the broker may do what an entity needs. */
export function isAllowed({ needs }: Pick<Entity, 'needs'>, scopes: readonly Scope[]): boolean {
  if (needs === undefined) return true;
  const { scope } = commands[needs].access;
  return scopes.some((held) => held === scope);
}

/** The payloads of a switch. @throws Misfit */
export function onOrOff(payload: string): boolean {
  if (payload !== 'ON' && payload !== 'OFF') throw new Misfit('must be ON or OFF');
  return payload === 'ON';
}

/** `ON` or `OFF`, as Home Assistant reads states. */
export const switched = (on: boolean) => (on ? 'ON' : 'OFF');

/** A button: any payload but `PRESS` is a mistake. @throws Misfit */
export function mustPress(payload: string): void {
  if (payload !== 'PRESS') throw new Misfit('must be PRESS');
}

/** The JSON object of a payload. @throws Misfit */
export function jsonObject(payload: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    throw new Misfit('must be JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Misfit('must be a JSON object');
  return value as Record<string, unknown>;
}
