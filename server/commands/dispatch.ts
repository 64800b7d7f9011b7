import { randomUUID } from 'node:crypto';
import { type Identity, NOBODY, type PageSetting } from '../contract/access.ts';
import type { Command } from '../contract/command.ts';
import { type CommandName, commands, type ParamsOf, type ResultOf } from '../contract/commands.ts';
import { FaceplateError } from '../contract/errors.ts';
import { mistakeSentence, mistakesOf } from '../contract/mistakes.ts';
import type { ApprovalService } from '../parts/approval/service.ts';
import type { AuthorizedCall } from '../parts/callContext.ts';
import type { StrangersLog } from '../platform/limits.ts';
import type { Logger } from '../platform/log.ts';
import { type Asker, authorize } from './access.ts';

/** One handler per command of the contract; a missing one does not compile. */
export type Handlers = {
  readonly [N in CommandName]: (
    params: ParamsOf<N>,
    context: AuthorizedCall,
  ) => ResultOf<N> | Promise<ResultOf<N>>;
};

/**
 * Who asks: the surface, a name for the log (address or origin), and the signal that aborts when the caller is gone.
 */
export interface Caller extends Asker {
  readonly origin: string;
  /** Where the call came from over the network; null without a network. */
  readonly address: string | null;
  readonly signal: AbortSignal;
  /** Many panels got the same call at the same moment. */
  readonly isOneOfMany?: boolean;
}

/** One call that changed something, or tried to. */
export interface AuditRecord {
  readonly command: string;
  readonly surface: Caller['surface'];
  readonly caller: { readonly id: string; readonly name: string; readonly address: string | null };
  /** As given, secrets included: code that stores them must take the secrets out. */
  readonly params: unknown;
  /** `OK`, or the code of the error. */
  readonly code: string;
  readonly ms: number;
  /** Refused to a caller who does not hold the scope, or of whom nothing is known. */
  readonly isStranger: boolean;
}

/** The one doorway to the services. Rejects only with FaceplateError. */
export type Dispatch = (name: CommandName, params: unknown, caller: Caller) => Promise<unknown>;

/** How long calls in flight may still take when the service stops, in milliseconds. */
const STOP_GRACE_MS = 1_000;

type AnyHandler = (params: unknown, context: AuthorizedCall) => unknown;

/** One call in flight. */
class Call implements AuthorizedCall {
  readonly origin: string;
  readonly address: string | null;
  readonly identity: Identity;
  readonly isOneOfMany: boolean;
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;

  constructor({ origin, address, identity, isOneOfMany = false }: Caller) {
    this.origin = origin;
    this.address = address;
    this.identity = identity;
    this.isOneOfMany = isOneOfMany;
  }

  abort(reason: FaceplateError): void {
    this.#controller.abort(reason);
  }
}

/** A call as the log and the journal need it. */
interface Begun {
  readonly name: CommandName;
  readonly caller: Omit<Caller, 'signal'>;
  readonly startedAt: number;
  readonly isStranger: boolean;
}

interface Ended extends Begun {
  readonly params: unknown;
  readonly code: string;
}

interface DispatcherOptions {
  /** Whether pages may do what this setting guards. */
  pageMay(setting: PageSetting): boolean;
  /** Told of every call that may change something, when it has ended. */
  note?(call: AuditRecord): void;
  /** Told of every call, when it has ended. @param code `OK`, or the code of the error */
  count?(command: CommandName, code: string): void;
  /** The log for what strangers are refused; without it they share that of all. */
  readonly strangers?: StrangersLog;
  /** Asks a person at the panel about calls from outside. */
  readonly approval?: Pick<ApprovalService, 'covers' | 'ask'>;
  /** Commands other than those of the contract, for tests. */
  readonly commands?: Readonly<Record<string, Command>>;
}

/**
 * Authorises, validates, asks a person where it has to, limits the time, runs, validates the answer and logs: every
 * call of every surface comes through `dispatch`.
 */
export class Dispatcher {
  readonly #handlers: Readonly<Record<CommandName, AnyHandler>>;
  readonly #log: Logger;
  readonly #options: DispatcherOptions;
  readonly #commands: Readonly<Record<string, Command>>;
  readonly #inFlight = new Set<Call>();
  #idle: (() => void) | undefined;
  #stopping = false;
  /** Ends the waiting for a person. */
  readonly #ending = new AbortController();

  constructor(handlers: Handlers, log: Logger, options: DispatcherOptions) {
    this.#options = options;
    this.#commands = options.commands ?? commands;
    this.#handlers = handlers as unknown as Readonly<Record<CommandName, AnyHandler>>;
    this.#log = log;
  }

  readonly dispatch: Dispatch = async (name, params, caller) => {
    const startedAt = performance.now();
    // Until the opposite is known.
    let isStranger = true;
    try {
      const command: Command = this.#commands[name]!;
      if (!caller.admission?.covers(command, caller)) authorize(command, caller, this.#options.pageMay);
      isStranger = caller.identity.id === NOBODY.id;
      if (this.#stopping) throw new FaceplateError('SHUTTING_DOWN');
      const parsed = command.params.safeParse(params);
      if (!parsed.success) throw invalidRequest(command, params);
      if (isFromOutside(caller) && this.#options.approval?.covers(name))
        await this.#approved(name, params, caller);
      const answer = command.result.safeParse(await this.#run(name, command, parsed.data, caller));
      if (!answer.success)
        throw new Error(`${name} gave an answer that breaks its contract: ${answer.error.message}`);
      if (this.#log.isLevelEnabled('debug')) {
        this.#log.debug(
          { call: name, surface: caller.surface, from: caller.origin, ms: since(startedAt) },
          'commands: call',
        );
      }
      // A call without a token that succeeds has brought another proof, such as a code of the panel.
      this.#ended({ name, params, caller, code: 'OK', startedAt, isStranger: false });
      return answer.data;
    } catch (error) {
      const failure = this.#failed({ name, caller, startedAt, isStranger }, error);
      this.#ended({ name, params, caller, code: failure.code, startedAt, isStranger });
      throw failure;
    }
  };

  /** A call that was refused before it came here, because the caller's token does not open it, or has to wait. */
  noteRefused(name: CommandName, caller: Omit<Caller, 'signal'>, failure: FaceplateError): void {
    const call = { name, caller, startedAt: performance.now(), isStranger: true };
    this.#failed(call, failure);
    this.#ended({ ...call, params: {}, code: failure.code });
  }

  /** Tells the journal and the metrics of a call that has ended. */
  #ended({ name, params, caller, code, startedAt, isStranger }: Ended): void {
    const { note, count } = this.#options;
    count?.(name, code);
    const command = this.#commands[name];
    if (note === undefined || command === undefined || !changesSomething(command)) return;
    const { surface, identity, address } = caller;
    const who = { id: identity.id, name: identity.name, address };
    note({ command: name, surface, caller: who, params, code, ms: since(startedAt), isStranger });
  }

  /** Refuses new calls, lets those in flight finish for a second, then ends them with SHUTTING_DOWN. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#options.strangers?.stop();
    this.#ending.abort(new FaceplateError('SHUTTING_DOWN'));
    if (this.#inFlight.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    const grace = setTimeout(() => {
      for (const call of this.#inFlight) call.abort(new FaceplateError('SHUTTING_DOWN'));
    }, STOP_GRACE_MS);
    await idle;
    clearTimeout(grace);
  }

  /**
   * Waits for a yes at the panel; the time limit of the command begins after it.
   * @throws FaceplateError as `ApprovalService.ask`
   */
  async #approved(command: CommandName, params: unknown, caller: Caller): Promise<void> {
    const { surface, identity, address, signal } = caller;
    const gone = AbortSignal.any([signal, this.#ending.signal]);
    await this.#options.approval?.ask({ command, params, surface, identity, address }, gone);
    if (this.#stopping) throw new FaceplateError('SHUTTING_DOWN');
  }

  /** Ends with the first of these: the handler's answer, the time limit, the caller's end, the end of the service. */
  async #run(name: CommandName, command: Command, params: unknown, caller: Caller): Promise<unknown> {
    const call = new Call(caller);
    const result = this.#handlers[name](params, call);
    if (!(result instanceof Promise)) return result;
    const { signal } = call;
    const ended = Promise.withResolvers<never>();
    // A handler that ignores its signal must neither keep the caller waiting nor keep the service from stopping.
    // It does not get ahead of one that ends itself with a better reason.
    signal.addEventListener('abort', () => queueMicrotask(() => ended.reject(signal.reason)));
    const limit = setTimeout(() => call.abort(new FaceplateError('HARDWARE_TIMEOUT')), command.timeoutMs);
    const gone = () => call.abort(new FaceplateError('REQUEST_TIMEOUT', 'The caller is gone.'));
    caller.signal.addEventListener('abort', gone);
    this.#inFlight.add(call);
    if (caller.signal.aborted) gone();
    try {
      return await Promise.race([result, ended.promise]);
    } finally {
      clearTimeout(limit);
      caller.signal.removeEventListener('abort', gone);
      this.#inFlight.delete(call);
      if (this.#inFlight.size === 0) this.#idle?.();
    }
  }

  #failed({ name, caller, startedAt, isStranger }: Begun, error: unknown): FaceplateError {
    const { surface, origin, address } = caller;
    const line = { call: name, surface, from: origin, ms: since(startedAt) };
    if (!(error instanceof FaceplateError)) return internalError(this.#log, error, line);
    const details = { ...line, code: error.code, field: error.field };
    const { strangers } = this.#options;
    // A page asks whether there is an intercom by calling it: that is no news.
    if (error.code === 'SIP_DISABLED') this.#log.debug(details, 'commands: call refused');
    else if (isStranger && strangers) strangers.info(address ?? origin, details, 'commands: call refused');
    else this.#log.info(details, 'commands: call refused');
    return error;
  }
}

/** Whether it comes from elsewhere: a caller of the page or the glass is at the panel. */
function isFromOutside({ surface }: Caller): boolean {
  return surface === 'http' || surface === 'mqtt';
}

/** Whether a call of it belongs into the journal: what only reads does not. */
function changesSomething({ access, reads }: Command): boolean {
  return access.scope !== 'view' && reads !== true;
}

/** Logs an unexpected error under an id and returns the INTERNAL answer that carries the id and nothing else. */
export function internalError(log: Logger, error: unknown, details: object = {}): FaceplateError {
  const logId = randomUUID().slice(0, 8);
  log.error({ ...details, logId, err: error }, 'commands: internal error');
  return new FaceplateError('INTERNAL', `Faceplate failed. Its log has the details under ${logId}.`);
}

/** INVALID_REQUEST that names the first wrong field, what it may be, and what came. */
function invalidRequest({ params }: Command, given: unknown): FaceplateError {
  const [mistake] = mistakesOf(params, given);
  if (mistake === undefined) return new FaceplateError('INVALID_REQUEST');
  const { field } = mistake;
  return new FaceplateError('INVALID_REQUEST', mistakeSentence(mistake), field === '' ? {} : { field });
}

function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
