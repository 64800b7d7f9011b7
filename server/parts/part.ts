import type { z } from 'zod';
import type { Settings } from '../config/settings.ts';
import type { Command } from '../contract/command.ts';
import type { PartInfo } from '../contract/system.ts';
import type { Kiosk } from '../kiosk/kiosk.ts';
import type { KioskSession } from '../kiosk/session.ts';
import type { Clock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import type { Logger } from '../platform/log.ts';
import type { LocalTargets } from '../platform/net/localTargets.ts';
import type { ResourceScopes } from '../platform/resourceScopes.ts';
import type { BoardProfile } from './boards/board.ts';
import type { BoardDrivers } from './boards/boardDrivers.ts';
import type { AuthorizedCall } from './callContext.ts';
import type { IdleSaver } from './idle/idleView.ts';
import type { SoundPlaces } from './sound/files.ts';

/** What the house gives to every part. */
export interface House {
  readonly dataDir: string;
  readonly board: BoardProfile;
  readonly drivers: BoardDrivers;
  /** The settings as they are now. */
  settings(): Settings;
  readonly kiosk: Kiosk;
  readonly saver: IdleSaver;
  readonly session: KioskSession;
  readonly events: EventBus;
  readonly holders: ResourceScopes;
  /** Ports of the panel's own servers. */
  ownPorts(): readonly number[];
  /** Where devices on the network may be. */
  readonly targets: LocalTargets;
  readonly soundPlaces: SoundPlaces;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A service, as the house starts and stops it. */
export interface Startable {
  start?(): Promise<unknown>;
  stop(): Promise<void>;
}

type Commands = Readonly<Record<string, Command>>;

/** One function for each command: what answers it. */
type Answers<C extends Commands> = {
  readonly [K in keyof C]: (
    params: z.output<C[K]['params']>,
    context: AuthorizedCall,
  ) => z.input<C[K]['result']> | Promise<z.input<C[K]['result']>>;
};

type MethodOf<K> = K extends `${string}.${infer M}` ? M : never;

/** The commands for which the service has no method of the same name: `led.color` is `service.color`. */
type Unbound<C extends Commands, S> = {
  [K in keyof C]: MethodOf<K> extends keyof S ? (S[MethodOf<K>] extends Answers<C>[K] ? never : K) : K;
}[keyof C];

/** What is wrong with a part that leaves commands without an answer: the list of parts does not take it. */
interface Unanswered<Names> {
  readonly commandsWithoutAnswer: Names;
}

/** Its lines in `info`, and its states for the first event of a new listener; undefined states are left out. */
interface Reports<S> {
  info?(service: S): Readonly<Record<string, PartInfo>>;
  snapshot?(service: S): object;
}

/**
 * All that the house must know of a part. A part that needs others names them in the type of what `make` is given: they
 * have started before it, which the list of parts makes sure of.
 */
class Part<Name extends string, Needs, S extends Startable, C extends Commands> {
  readonly name: Name;
  readonly make: (house: House & Needs) => S;
  readonly commands: C;
  /** What answers the commands that no method of the same name does. */
  readonly answers: (service: S, others: Needs) => object;
  readonly reports: Reports<S>;

  constructor({
    name,
    make,
    commands,
    answers,
    reports,
  }: Omit<Part<Name, Needs, S, C>, 'answering' | 'reporting'>) {
    this.name = name;
    this.make = make;
    this.commands = commands;
    this.answers = answers;
    this.reports = reports;
  }

  /**
   * The part answers these commands: by the method of the same name (`led.color` is `service.color`), or by what stands
   * in `answers`.
   */
  answering<More extends Commands, A extends Partial<Answers<More>> = Record<never, never>>(
    commands: More,
    answers?: (service: S, others: Needs) => A & Partial<Answers<More>>,
  ): [Exclude<Unbound<More, S>, keyof A>] extends [never]
    ? Part<Name, Needs, S, More>
    : Unanswered<Exclude<Unbound<More, S>, keyof A>> {
    return new Part({ ...this, commands, answers: answers ?? (() => ({})) }) as never;
  }

  /** What it reports, beside its line in `info` by `part()` where its service has that method. */
  reporting(reports: Reports<S>): Part<Name, Needs, S, C> {
    return new Part({ ...this, reports: { ...this.reports, ...reports } });
  }
}

/** Declares a part by its name and by how its service is made. */
export function definePart<Name extends string, Needs, S extends Startable>(
  name: Name,
  make: (house: House & Needs) => S,
): Part<Name, Needs, S, Record<never, never>> {
  return new Part({
    name,
    make,
    commands: {},
    answers: () => ({}),
    reports: { info: (service) => reported(name, service) },
  });
}

/** A part whose service reports itself by `part()`. */
interface Reporting extends Startable {
  part(): PartInfo;
}

function reported(name: string, service: Startable): Readonly<Record<string, PartInfo>> {
  return 'part' in service ? { [name]: (service as Reporting).part() } : {};
}

type AnyPart = Part<string, unknown, Startable, Commands>;

/** Parts in the order of their start; `Have` are the services by name, `C` the commands that they answer. */
class PartList<Have, C extends Commands> {
  readonly #parts: readonly AnyPart[];

  constructor(parts: readonly AnyPart[] = []) {
    this.#parts = parts;
  }

  /** One more part. It does not compile where the part needs one that does not start before it. */
  with<Name extends string, Needs, S extends Startable, More extends Commands>(
    part: Part<Name, Needs, S, More> & (Have extends Needs ? unknown : never),
  ): PartList<Have & Readonly<Record<Name, S>>, C & More> {
    return new PartList([...this.#parts, part as unknown as AnyPart]);
  }

  /** @param up starts one and notes it for the way back */
  async start(
    up: <T extends Startable>(service: T) => Promise<T>,
    house: House,
  ): Promise<StartedParts<Have, C>> {
    const services: Record<string, Startable> = {};
    for (const { name, make } of this.#parts) {
      services[name] = await up((make as (all: object) => Startable)({ ...house, ...services }));
    }
    return new StartedParts(this.#parts, services as Have & Record<string, Startable>);
  }
}

/** No part yet: what a list begins with. */
export const noParts = new PartList<unknown, Record<never, never>>();

/** The parts that are up. */
class StartedParts<Have, C extends Commands> {
  readonly services: Have;
  readonly #parts: readonly (readonly [AnyPart, Startable])[];

  constructor(parts: readonly AnyPart[], services: Have & Record<string, Startable>) {
    this.services = services;
    this.#parts = parts.map((part) => [part, services[part.name]!]);
  }

  /** What answers each of their commands. */
  answers(): Answers<C> {
    const all = this.#parts.map(([{ commands, answers }, service]) => ({
      ...sameNamed(commands, service),
      ...answers(service, this.services),
    }));
    return Object.assign({}, ...all) as Answers<C>;
  }

  /** Their lines in `info`; collected again on every call. */
  info(): Record<string, PartInfo> {
    return Object.assign({}, ...this.#parts.map(([{ reports }, service]) => reports.info?.(service)));
  }

  /** Their states for a new listener; collected again on every call. */
  snapshot(): object {
    const states = this.#parts.map(([{ reports }, service]) => reports.snapshot?.(service));
    // A part that the board lacks is left out.
    return Object.fromEntries(
      states.flatMap((state) => Object.entries(state ?? {})).filter(([, value]) => value !== undefined),
    );
  }
}

/** The methods of a service that answer commands of the same name. */
function sameNamed(commands: Commands, service: Startable): object {
  const methods = service as unknown as Readonly<
    Record<string, ((...args: unknown[]) => unknown) | undefined>
  >;
  return Object.fromEntries(
    Object.keys(commands).flatMap((command) => {
      const method = command.slice(command.indexOf('.') + 1);
      return methods[method] === undefined
        ? []
        : [[command, (params: unknown, context: unknown) => methods[method]!(params, context)]];
    }),
  );
}
