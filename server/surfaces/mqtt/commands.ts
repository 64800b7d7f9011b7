import { hash, randomUUID } from 'node:crypto';
import { admit } from '../../commands/access.ts';
import type { Caller, Dispatch, Dispatcher } from '../../commands/dispatch.ts';
import type { Identity, Scope } from '../../contract/access.ts';
import { type CommandName, commands } from '../../contract/commands.ts';
import { type ErrorAnswer, FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { StrangersLog } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import type { BrokerLink, BrokerMessage, BrokerNames } from './types.ts';

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
const SELF = 'self';

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

interface BrokerCaller extends Omit<Caller, 'signal'> {
  readonly surface: 'mqtt';
}

/**
 * Commands of callers on the broker, at `<id>/command/<command>` and `group/<name>/command/<command>`. They begin in the
 * order they come and do not wait for each other.
 */
export class Commands {
  readonly #options: CommandsOptions;
  readonly #deduplicator: CommandDeduplicator;
  readonly #stopping = new AbortController();
  readonly #ends: (() => void)[] = [];
  #underWay = 0;
  #bytesUnderWay = 0;
  /** The callbacks that wait until there is room, and until nothing is under way. */
  #room: PromiseWithResolvers<void> | undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#deduplicator = new CommandDeduplicator(options.clock);
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

  /** @returns a promise while the panel must not read another command */
  #heard(message: BrokerMessage, base: string, isOneOfMany: boolean): Promise<void> | undefined {
    const { topic, payload, isRetained, responseTopic, correlationData } = message;
    const name = topic.slice(`${base}/command/`.length);
    // What the broker replays is old: it would be carried out at every start.
    if (isRetained || name === SELF || name.length > MOST_NAME_LENGTH) return undefined;
    if (this.#deduplicator.note(name, responseTopic, correlationData)) return undefined;
    const caller = this.#admitted(name, topic);
    if (caller instanceof FaceplateError) {
      // In a flood they are left out: they must not fill the memory while they wait for the broker.
      if (!this.#options.link.isBehind) this.#send(name, message, caller.toAnswer());
      return undefined;
    }
    this.#underWay++;
    this.#bytesUnderWay += payload.length;
    void this.#carryOut(name, message, { ...caller, isOneOfMany }).finally(() => {
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

  async #carryOut(name: string, message: BrokerMessage, caller: BrokerCaller): Promise<void> {
    this.#send(name, message, await this.#answer(name, message, caller));
  }

  #send(name: string, { responseTopic, correlationData }: BrokerMessage, answer: unknown): void {
    const { link, names, strangers } = this.#options;
    const topic = answerTopic(names, name, responseTopic);
    if (topic === undefined) {
      strangers.info(link.address, { command: name }, 'mqtt: answer topic refused');
      return;
    }
    // A copy: while the answer waits, the part of a message would keep all that was read with it.
    const correlation = correlationData && Buffer.from(correlationData);
    const options = { correlationData: correlation, properties: { panel: names.id } };
    // Not awaited: the acknowledgement may stand behind commands that are not read now.
    link
      .publish(topic, JSON.stringify(answer), options)
      .catch((error: unknown) =>
        strangers.info(
          link.address,
          { reason: String(error), command: name },
          'mqtt: could not publish an answer',
        ),
      );
  }

  /**
   * Carries out a command as the caller that wrote to a topic.
   * @throws FaceplateError as dispatch does
   */
  call(name: CommandName, params: unknown, topic: string): Promise<unknown> {
    return this.#call(name, params, this.#caller(topic));
  }

  #call(name: CommandName, params: unknown, caller: BrokerCaller): Promise<unknown> {
    return this.#options.dispatch(name, params, { ...caller, signal: this.#stopping.signal });
  }

  #caller(topic: string): BrokerCaller {
    const { link, scopes } = this.#options;
    const identity: Identity = { id: 'mqtt', name: topic, scopes };
    return { surface: 'mqtt', identity, origin: topic, address: link.address } as const;
  }

  /** The caller that wrote to a topic; or why it may not have this command, whatever its parameters are. */
  #admitted(name: string, topic: string): BrokerCaller | FaceplateError {
    if (!isCommand(name)) return new FaceplateError('NOT_FOUND', 'There is no such command.');
    const caller = this.#caller(topic);
    try {
      return { ...caller, admission: admit(commands[name], caller) };
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      this.#options.noteRefused(name, caller, error);
      return error;
    }
  }

  /** What the command answers, or its error. */
  async #answer(name: string, message: BrokerMessage, caller: BrokerCaller): Promise<unknown> {
    try {
      return await this.#call(name as CommandName, paramsOf(message), caller);
    } catch (error) {
      return this.#refused(error);
    }
  }

  #refused(error: unknown): ErrorAnswer {
    if (error instanceof FaceplateError) return error.toAnswer();
    this.#options.log.error({ err: error }, 'mqtt: command failed');
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

/** Longest topic, in bytes (MQTT 5 section 1.5.4). */
const MOST_TOPIC_BYTES = 65_535;

/**
 * Where the answer to a command may go. A caller must not make the panel say something at a place where others take it
 * for a command or a state: the panel may be allowed there while the caller is not.
 * @returns undefined: nowhere
 */
export function answerTopic(
  { prefix, id, discovery }: BrokerNames,
  command: string,
  responseTopic: string | undefined,
): string | undefined {
  if (responseTopic === undefined) return `${prefix}/${id}/result/${command}`;
  if (responseTopic === '' || /[+#\0]/.test(responseTopic) || responseTopic.startsWith('$')) return undefined;
  if (Buffer.byteLength(responseTopic) > MOST_TOPIC_BYTES) return undefined;
  if (discovery !== '' && isBelow(responseTopic, discovery)) return undefined;
  const isReply = responseTopic.split('/').slice(prefix.split('/').length).includes('reply');
  return isBelow(responseTopic, prefix) && !isReply ? undefined : responseTopic;
}

function isBelow(topic: string, prefix: string): boolean {
  return topic === prefix || topic.startsWith(`${prefix}/`);
}

/** How long a command is remembered, in milliseconds. */
const COMMAND_REMEMBERED_MS = 60_000;
/** Beyond so many the oldest are forgotten earlier, about 10 MiB. */
const MOST_COMMANDS = 100_000;

/** Commands of the last minute that carried correlation data: a sender that repeats one does not mean it twice. */
export class CommandDeduplicator {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #seen = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers the command. @returns whether it was there within the last minute */
  note(command: string, responseTopic: string | undefined, correlationData: Buffer | undefined): boolean {
    if (correlationData === undefined) return false;
    const now = this.#clock.now();
    for (const [key, at] of this.#seen) {
      if (now - at < COMMAND_REMEMBERED_MS && this.#seen.size <= MOST_COMMANDS) break;
      this.#seen.delete(key);
    }
    const sender = Buffer.from(`${command}\0${responseTopic ?? ''}\0`);
    const key = hash('sha1', Buffer.concat([sender, correlationData]), 'base64');
    if (this.#seen.has(key)) return true;
    this.#seen.set(key, now);
    return false;
  }
}

/** How long the message may take, in milliseconds. */
const CHECK_LIMIT_MS = 5_000;
/** A broker whose access list was mended says nothing of it, in milliseconds. */
const CHECK_AGAIN_MS = 60_000;

interface SelfCheckOptions {
  readonly link: BrokerLink;
  readonly names: BrokerNames;
  /** @param words what is wrong; null: nothing */
  readonly say: (words: string | null) => void;
  readonly clock: Clock;
}

/**
 * Whether commands reach the panel: a broker grants a subscription that its access list forbids, and then keeps silent.
 * So the panel says something to itself, at `<id>/command/self`.
 */
export class SelfCheck {
  readonly #options: SelfCheckOptions;
  #word = '';
  #end = () => {};
  #cancel = () => {};
  #hasFailed = false;

  constructor(options: SelfCheckOptions) {
    this.#options = options;
  }

  start(): void {
    const { link, names } = this.#options;
    // The filter of the commands itself: it is what has to work.
    this.#end = link.subscribe(`${names.prefix}/${names.id}/command/+`, ({ topic, payload }) => {
      if (topic !== this.#topic || this.#word === '' || payload.toString() !== this.#word) return;
      this.#word = '';
      this.#cancel();
      if (this.#hasFailed) this.#options.say(null);
      this.#hasFailed = false;
    });
  }

  /** Begins anew, after each connection. */
  check(): void {
    const { link, clock } = this.#options;
    this.#cancel();
    this.#word = randomUUID();
    let isRefused = false;
    this.#cancel = clock.after(CHECK_LIMIT_MS, () => {
      if (!link.isConnected) return;
      this.#hasFailed = true;
      this.#options.say(isRefused ? `it refuses ${this.#topic}` : `${this.#topic} does not arrive`);
      this.#cancel = clock.after(CHECK_AGAIN_MS, () => this.check());
    });
    link.publish(this.#topic, this.#word).catch(() => {
      isRefused = true;
    });
  }

  stop(): void {
    this.#cancel();
    this.#end();
  }

  get #topic(): string {
    const { prefix, id } = this.#options.names;
    return `${prefix}/${id}/command/${SELF}`;
  }
}
