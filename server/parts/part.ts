import type { z } from 'zod';
import type { LoadedSettings } from '../config/loadSettings.ts';
import type { UndoneSettings } from '../config/proof/takenBack.ts';
import type { Settings } from '../config/settings.ts';
import type { SettingsStore } from '../config/settingsStore.ts';
import type { Token } from '../config/token.ts';
import type { Command } from '../contract/command.ts';
import type { PartInfo } from '../contract/system.ts';
import type { Glass } from '../kiosk/glass/glass.ts';
import type { Kiosk } from '../kiosk/kiosk.ts';
import type { SaverService } from '../kiosk/saver/service.ts';
import type { KioskSession } from '../kiosk/session.ts';
import type { Clock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import type { Logger, LogTail } from '../platform/log.ts';
import type { WebPorts } from '../platform/net/addresses.ts';
import type { ClosedPorts } from '../platform/net/checkedRequest.ts';
import type { LocalTargets, OwnPorts } from '../platform/net/localTargets.ts';
import type { ResourceScopes } from '../platform/resourceScopes.ts';
import type { BoardDrivers, BoardProfile } from './boards/board.ts';
import type { AuthorizedCall } from './callContext.ts';

/** The HTTP server as parts see it: it listens from the start on, and answers calls once all parts have started. */
export interface OwnServer {
  /** Of the panel's own pages, on loopback. */
  readonly port: number;
  /** All ports in use. */
  readonly ports: number[];
  /** Where the network reaches it. */
  readonly outside: { readonly host: string; readonly port: number };
  readonly web: WebPorts;
  /** The port of HTTPS; undefined while it is off. */
  readonly securePort: number | undefined;
}

/** What every part gets from the service. */
export interface Core {
  readonly version: string;
  /** Of this panel, for good. */
  readonly id: string;
  readonly dataDir: string;
  readonly board: BoardProfile;
  readonly drivers: BoardDrivers;
  /** The settings at the start, and the source of each. */
  readonly loaded: LoadedSettings;
  /** The settings as they are now. */
  settings(): Settings;
  readonly store: SettingsStore;
  /** Settings that were rolled back. */
  readonly undone: UndoneSettings;
  /** The token of the owner. */
  readonly token: Token;
  readonly kiosk: Kiosk;
  readonly glass: Glass;
  readonly saver: SaverService;
  readonly session: KioskSession;
  readonly http: OwnServer;
  readonly events: EventBus;
  readonly holders: ResourceScopes;
  /** Ports of the panel's own servers; a part that opens one claims it. */
  readonly ownPorts: OwnPorts;
  /** The addresses at which devices on the network may be. */
  readonly targets: LocalTargets;
  /** Ports of this machine that nothing is fetched from. */
  closedPorts(): ClosedPorts;
  /** The note for the journal of a reset before this start. */
  readonly resetNote: unknown;
  /** Ends the service so that it starts again. */
  restartService(why: 'reset' | 'asked'): void;
  /** Whether a supervisor starts the service again when it ends. */
  readonly isWatched: boolean;
  readonly clock: Clock;
  /** Prints a line for the program that has started the service, such as `faceplate https 8443`. */
  print(line: string): void;
  readonly log: Logger;
  readonly logTail: LogTail;
}

/** A service with what it has to start and to stop. */
export interface Startable {
  start?(): Promise<unknown>;
  stop?(): Promise<void>;
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
interface Reports<S, States extends object> {
  info?(service: S): Readonly<Record<string, PartInfo>>;
  snapshot?(service: S): States;
}

type Nothing = Record<never, never>;

/**
 * All that the service must know of a part. A part that needs others names them in the type of the argument of `make`: they
 * have started before it, which the list of parts makes sure of.
 */
class Part<
  Name extends string,
  Needs,
  S extends object,
  C extends Commands,
  States extends object,
  Facts extends object,
> {
  readonly name: Name;
  readonly make: (core: Core & Needs) => S | Promise<S>;
  readonly commands: C;
  /** Functions for the commands that have no method of the same name. */
  readonly answers: (service: S, others: Core & Needs) => object;
  readonly reports: Reports<S, States>;
  readonly facts: (service: S, others: Core & Needs) => Facts | Promise<Facts>;

  constructor({
    name,
    make,
    commands,
    answers,
    reports,
    facts,
  }: Omit<Part<Name, Needs, S, C, States, Facts>, 'answering' | 'reporting' | 'showing'>) {
    this.name = name;
    this.make = make;
    this.commands = commands;
    this.answers = answers;
    this.reports = reports;
    this.facts = facts;
  }

  /**
   * The part answers these commands: by the method of the same name (`led.color` is `service.color`), or by a function of
   * `answers`.
   */
  answering<More extends Commands, A extends Partial<Answers<More>> = Nothing>(
    commands: More,
    answers?: (service: S, others: Core & Needs) => A & Partial<Answers<More>>,
  ): [Exclude<Unbound<More, S>, keyof A>] extends [never]
    ? Part<Name, Needs, S, More, States, Facts>
    : Unanswered<Exclude<Unbound<More, S>, keyof A>> {
    return new Part({ ...this, commands, answers: answers ?? (() => ({})) }) as never;
  }

  /** What it reports, beside its line in `info` by `part()` where its service has that method. */
  reporting<More extends object = Nothing>(reports: Reports<S, More>): Part<Name, Needs, S, C, More, Facts> {
    return new Part({ ...this, reports: { ...this.reports, ...reports } as Reports<S, More> });
  }

  /** What its entities in Home Assistant have to know of it, as its `homeAssistant.ts` says. */
  showing<More extends object>(
    facts: (service: S, others: Core & Needs) => More | Promise<More>,
  ): Part<Name, Needs, S, C, States, More> {
    return new Part({ ...this, facts });
  }
}

/** Declares a part by its name and by how its service is made. */
export function definePart<Name extends string, Needs, S extends object>(
  name: Name,
  make: (core: Core & Needs) => S | Promise<S>,
): Part<Name, Needs, S, Nothing, Nothing, Nothing> {
  return new Part<Name, Needs, S, Nothing, Nothing, Nothing>({
    name,
    make,
    commands: {},
    answers: () => ({}),
    reports: { info: (service) => reported(name, service) },
    facts: () => ({}),
  });
}

/** A part whose service reports itself by `part()`. */
interface Reporting {
  part(): PartInfo;
}

function reported(name: string, service: object): Readonly<Record<string, PartInfo>> {
  return 'part' in service ? { [name]: (service as Reporting).part() } : {};
}

type AnyPart = Part<string, unknown, object, Commands, object, object>;

/**
 * Parts in the order of their start; `Have` are the services by name, `C` the commands that they answer, `States` what
 * they report to a new listener, `Facts` what Home Assistant shows of them.
 */
class PartList<Have, C extends Commands, States extends object, Facts extends object> {
  readonly #parts: readonly AnyPart[];

  constructor(parts: readonly AnyPart[] = []) {
    this.#parts = parts;
  }

  /** One more part. It does not compile where the part needs one that does not start before it. */
  with<
    Name extends string,
    Needs,
    S extends object,
    More extends Commands,
    Reported extends object,
    Shown extends object,
  >(
    part: Part<Name, Needs, S, More, Reported, Shown> &
      (Have extends Needs ? (Name extends keyof Core ? never : unknown) : never),
  ): PartList<Have & Readonly<Record<Name, S>>, C & More, States & Reported, Facts & Shown> {
    return new PartList([...this.#parts, part as unknown as AnyPart]);
  }

  /** Starts all parts in order. @param up starts one and records it for the stop */
  async start(
    up: <T extends Startable>(service: T) => Promise<T>,
    core: Core,
  ): Promise<StartedParts<Have, C, States, Facts>> {
    const services: Record<string, object> = {};
    for (const { name, make } of this.#parts)
      services[name] = await up<Startable>(await make({ ...core, ...services } as Core));
    return new StartedParts(this.#parts, core, services as Have & Record<string, object>);
  }
}

/** No part yet: what a list begins with. */
export const noParts = new PartList<unknown, Nothing, Nothing, Nothing>();

/** States as a listener gets them: what the panel lacks is left out. */
type Defined<States> = {
  [K in keyof States as undefined extends States[K] ? never : K]: States[K];
} & {
  [K in keyof States as undefined extends States[K] ? K : never]?: Exclude<States[K], undefined>;
};

/** The started parts. */
class StartedParts<Have, C extends Commands, States extends object, Facts extends object> {
  readonly services: Have;
  readonly #core: Core;
  readonly #parts: readonly (readonly [AnyPart, object])[];

  constructor(parts: readonly AnyPart[], core: Core, services: Have & Record<string, object>) {
    this.services = services;
    this.#core = core;
    this.#parts = parts.map((part) => [part, services[part.name]!]);
  }

  /** What answers each of their commands. */
  answers(): Answers<C> {
    const others = { ...this.#core, ...this.services };
    const all = this.#parts.map(([{ commands, answers }, service]) => ({
      ...sameNamed(commands, service),
      ...answers(service, others),
    }));
    return Object.assign({}, ...all) as Answers<C>;
  }

  /** Their lines in `info`; collected again on every call. */
  info(): Record<string, PartInfo> {
    return Object.assign({}, ...this.#parts.map(([{ reports }, service]) => reports.info?.(service)));
  }

  /** Their states for a new listener; collected again on every call. */
  snapshot(): Defined<States> {
    const states = this.#parts.map(([{ reports }, service]) => reports.snapshot?.(service));
    // A part that the board lacks is left out.
    return Object.fromEntries(
      states.flatMap((state) => Object.entries(state ?? {})).filter(([, value]) => value !== undefined),
    ) as Defined<States>;
  }

  /** What Home Assistant shows of them; collected again on every call. @throws what a part throws while it ends */
  async facts(): Promise<Facts> {
    const others = { ...this.#core, ...this.services };
    const all = await Promise.all(this.#parts.map(([{ facts }, service]) => facts(service, others)));
    return Object.assign({}, ...all) as Facts;
  }
}

/** The methods of a service that answer commands of the same name. */
function sameNamed(commands: Commands, service: object): object {
  const methods = service as Readonly<Record<string, ((...args: unknown[]) => unknown) | undefined>>;
  return Object.fromEntries(
    Object.keys(commands).flatMap((command) => {
      const method = command.slice(command.indexOf('.') + 1);
      return methods[method] === undefined
        ? []
        : [[command, (params: unknown, context: unknown) => methods[method]!(params, context)]];
    }),
  );
}
