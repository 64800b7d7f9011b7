import { mustBeAllowed } from '../../commands/access.ts';
import type { Dispatch, Dispatcher } from '../../commands/dispatch.ts';
import type { Scope } from '../../contract/access.ts';
import { type CommandName, commands } from '../../contract/commands.ts';
import { type ErrorAnswer, FaceplateError } from '../../contract/errors.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { StrangersLog } from '../../platform/strangersLog.ts';
import { answerTopic } from './answerTopic.ts';
import type { BrokerLink, BrokerMessage, BrokerNames } from './link.ts';
import { Repeats } from './repeats.ts';

/** Longest parameters of a command, in bytes; as over HTTP. */
const MOST_BYTES = 1024 * 1024;
/** So many commands, or bytes of their parameters, are under way before the panel stops to read. */
const MOST_UNDER_WAY = 1_000;
const MOST_BYTES_UNDER_WAY = 32 * MOST_BYTES;
/** A longer name is no command, and would make a long topic of its answer. */
const MOST_NAME_LENGTH = 64;
/** How long commands under way may still take at the stop, in milliseconds. */
const STOP_GRACE_MS = 1_000;

/** By this name the panel says something to itself, to hear whether the broker lets it through. */
export const SELF = 'self';

interface CommandsOptions {
  readonly link: BrokerLink;
  readonly names: BrokerNames;
  /** What a caller on the broker may do. */
  readonly scopes: readonly Scope[];
  readonly dispatch: Dispatch;
  readonly noteRefused: Dispatcher['noteRefused'];
  readonly clock: Clock;
  /** For what any caller on the broker may cause. */
  readonly strangers: StrangersLog;
  readonly log: Logger;
}

/**
 * Commands of callers on the broker, at `<id>/command/<command>` and `group/<name>/command/<command>`. They begin in the
 * order they come and do not wait for each other.
 */
export class Commands {
  readonly #options: CommandsOptions;
  readonly #repeats: Repeats;
  readonly #stopping = new AbortController();
  readonly #ends: (() => void)[] = [];
  #underWay = 0;
  #bytesUnderWay = 0;
  /** Whoever waits until there is room, and until nothing is under way. */
  #room: PromiseWithResolvers<void> | undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#repeats = new Repeats(options.clock);
  }

  start(): void {
    const { link, names } = this.#options;
    const hear = (base: string, isOneOfMany: boolean) =>
      link.subscribe(`${base}/command/+`, (message) => this.#heard(message, base, isOneOfMany));
    this.#ends.push(hear(`${names.prefix}/${names.id}`, false));
    for (const group of names.groups) this.#ends.push(hear(`${names.prefix}/group/${group}`, true));
  }

  /** Hears nothing more; commands under way get a second, then their callers are gone. */
  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    if (this.#underWay === 0) return;
    this.#idle ??= Promise.withResolvers();
    const cancel = this.#options.clock.after(STOP_GRACE_MS, () => this.#stopping.abort());
    await this.#idle.promise;
    cancel();
  }

  /** @returns a promise where the panel shall read no further command */
  #heard(message: BrokerMessage, base: string, isOneOfMany: boolean): Promise<void> | undefined {
    const { topic, payload, isRetained, responseTopic, correlationData } = message;
    const name = topic.slice(`${base}/command/`.length);
    // What the broker replays is old: it would be carried out at every start.
    if (isRetained || name === SELF || name.length > MOST_NAME_LENGTH) return undefined;
    if (this.#repeats.note(name, responseTopic, correlationData)) return undefined;
    const refusal = this.#refusal(name, topic);
    if (refusal !== undefined) {
      // Nobody reads thousands of them, and a flood must not fill the memory with what waits for the broker.
      if (!this.#options.link.isBehind) this.#send(name, message, refusal.toAnswer());
      return undefined;
    }
    this.#underWay++;
    this.#bytesUnderWay += payload.length;
    void this.#carryOut(name, message, isOneOfMany).finally(() => {
      this.#underWay--;
      this.#bytesUnderWay -= payload.length;
      if (!this.#isFull) this.#makeRoom();
      if (this.#underWay === 0) this.#idle?.resolve();
    });
    if (!this.#isFull) return undefined;
    // One for all that wait: a second message may come before the first has stopped the reading.
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  get #isFull(): boolean {
    return this.#underWay >= MOST_UNDER_WAY || this.#bytesUnderWay >= MOST_BYTES_UNDER_WAY;
  }

  async #carryOut(name: string, message: BrokerMessage, isOneOfMany: boolean): Promise<void> {
    this.#send(name, message, await this.#answer(name, message, isOneOfMany));
  }

  #send(name: string, { responseTopic, correlationData }: BrokerMessage, answer: unknown): void {
    const { link, names, strangers } = this.#options;
    const topic = answerTopic(names, name, responseTopic);
    if (topic === undefined) {
      strangers.info(
        link.address,
        { command: name },
        'a caller on the broker wants its answer where none may go',
      );
      return;
    }
    // A copy: while the answer waits, the part of a message would keep all that was read with it.
    const correlation = correlationData && Buffer.from(correlationData);
    const options = { correlationData: correlation, properties: { panel: names.id } };
    // Not awaited: the acknowledgement may stand behind commands that are not read now.
    link
      .publish(topic, JSON.stringify(answer), options)
      .catch((error: unknown) =>
        strangers.info(link.address, { reason: String(error), command: name }, 'an answer was not taken'),
      );
  }

  /**
   * Carries out a command as the caller that wrote to a topic.
   * @throws FaceplateError as dispatch does
   */
  call(name: CommandName, params: unknown, topic: string, isOneOfMany = false): Promise<unknown> {
    const { signal } = this.#stopping;
    return this.#options.dispatch(name, params, { ...this.#caller(topic), signal, isOneOfMany });
  }

  #caller(topic: string) {
    const { link, scopes } = this.#options;
    const identity: Identity = { id: 'mqtt', name: topic, scopes };
    return { surface: 'mqtt', identity, origin: topic, address: link.address } as const;
  }

  /** Why a caller may not have this command, whatever its parameters are: those of a stranger are not even parsed. */
  #refusal(name: string, topic: string): FaceplateError | undefined {
    if (!isCommand(name)) return new FaceplateError('NOT_FOUND', 'There is no such command.');
    const caller = this.#caller(topic);
    try {
      mustBeAllowed(commands[name], caller, () => false);
      return undefined;
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      this.#options.noteRefused(name, caller, error);
      return error;
    }
  }

  /** What the command answers, or its error. */
  async #answer(name: string, message: BrokerMessage, isOneOfMany: boolean): Promise<unknown> {
    try {
      return await this.call(name as CommandName, paramsOf(message), message.topic, isOneOfMany);
    } catch (error) {
      return this.#refused(error);
    }
  }

  #refused(error: unknown): ErrorAnswer {
    if (error instanceof FaceplateError) return error.toAnswer();
    this.#options.log.error({ err: error }, 'a command on the broker failed');
    return new FaceplateError('INTERNAL').toAnswer();
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** @throws FaceplateError TOO_LARGE, INVALID_REQUEST */
function paramsOf({ payload }: BrokerMessage): unknown {
  if (payload.length > MOST_BYTES) throw new FaceplateError('TOO_LARGE');
  if (payload.length === 0) return {};
  try {
    return JSON.parse(payload.toString('utf8')) as unknown;
  } catch {
    throw new FaceplateError('INVALID_REQUEST', 'The message is not valid JSON.');
  }
}
