import { FaceplateError } from '../../contract/errors.ts';
import type { ApprovalOnGlass, GlassEvent } from '../../kiosk/glass/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { type AskedCall, questionOf } from './question.ts';

/** Where a person at the panel is asked: the layer above the kiosk page. */
interface ApprovalScreen {
  /** Whether a person can see it and touch it now. */
  isThere(): boolean;
  /**
   * Shows this question in place of the one before, or none. Resolves when it is on the screen.
   * @throws FaceplateError UNSUPPORTED_HARDWARE (no window)
   */
  show(question: ApprovalOnGlass | null): Promise<void>;
  /** Calls back for what a person does there. @returns the function that ends it */
  onEvent(listener: (event: GlassEvent) => void): () => void;
  /** Wakes the panel as a touch does, and keeps it awake. @returns the function that ends it; safe to call twice */
  hold(): () => void;
}

/** Who asked for what, and what was said to it. */
export interface AnsweredCall {
  readonly command: string;
  readonly surface: string;
  readonly caller: { readonly id: string; readonly name: string; readonly address: string | null };
  /** `none`: no person answered. `gone`: the caller left first, or its token ended. */
  readonly answer: 'yes' | 'no' | 'none' | 'gone';
  /** How long the question was on the glass, in milliseconds. */
  readonly ms: number;
}

/** Where it is written down. */
interface ApprovalJournal {
  /** The params of a command without secrets. */
  readable(command: string, params: unknown): unknown;
  note(answered: AnsweredCall): void;
}

/** How long a person has for an answer, in milliseconds. */
export const PATIENCE_MS = 30_000;
/** What is pressed so soon after the question has come was meant for something else, in milliseconds. */
export const HEED_MS = 500;
/** Calls that wait for their turn, beside the one that is asked for. */
export const WAITING_CALLS = 4;

interface ApprovalOptions {
  /** The commands that need a yes; read on every call. */
  readonly commands: () => readonly string[];
  readonly language: () => string;
  /** When the token with this id was made, in milliseconds since 1970; undefined where there is none. */
  readonly madeAt: (id: string) => number | undefined;
  readonly screen: ApprovalScreen;
  readonly journal: ApprovalJournal;
  readonly clock: Clock;
  readonly log: Logger;
}

type Answer = AnsweredCall['answer'] | 'noScreen' | 'ended' | 'stopped';

/** A call that waits. */
interface Waiting {
  readonly call: AskedCall;
  readonly answer: (answer: Answer) => void;
}

/** The call that a person is asked for now. */
interface Asked {
  readonly waiting: Waiting;
  readonly id: string;
  readonly since: number;
  /** From when on an answer counts; undefined while the question is on its way to the screen. */
  heedFrom: number | undefined;
  readonly endPatience: () => void;
}

/** Calls from outside that wait until somebody at the panel says yes: one is asked for, the others wait their turn. */
export class ApprovalService {
  readonly #options: ApprovalOptions;
  #queue: Waiting[] = [];
  #asked: Asked | undefined;
  #count = 0;
  #isStopped = false;
  #endEvents = (): void => {};
  #release = (): void => {};

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#endEvents = this.#options.screen.onEvent((event) => this.#hear(event));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endEvents();
    for (const { answer } of [...this.#queue]) answer('stopped');
    this.#takeDown();
    this.#hold(() => {});
  }

  /** Whether calls of this command from outside need a yes. */
  covers(command: string): boolean {
    return this.#options.commands().includes(command);
  }

  /** Whether a person is being asked. */
  get isAsking(): boolean {
    return this.#asked !== undefined;
  }

  /**
   * Resolves once somebody at the panel has said yes.
   * @param gone aborts when the caller needs no answer any more
   * @throws FaceplateError NOT_APPROVED, RATE_LIMITED (too many wait), UNAUTHORIZED (the token ended), REQUEST_TIMEOUT (the
   * caller is gone), SHUTTING_DOWN
   */
  async ask(call: AskedCall, gone: AbortSignal): Promise<void> {
    if (this.#isStopped) throw new FaceplateError('SHUTTING_DOWN');
    if (gone.aborted) throw goneError(gone);
    if (!this.#options.screen.isThere()) throw refusal('noScreen');
    if (this.#queue.length > WAITING_CALLS)
      throw new FaceplateError(
        'RATE_LIMITED',
        `${this.#queue.length} calls wait for a yes at the panel already. Try again when they have their answer.`,
      );
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const waiting: Waiting = { call, answer: resolve };
    const onGone = () => resolve('gone');
    gone.addEventListener('abort', onGone);
    this.#queue.push(waiting);
    this.#next();
    const answer = await promise;
    gone.removeEventListener('abort', onGone);
    this.#queue = this.#queue.filter((other) => other !== waiting);
    if (this.#asked?.waiting === waiting) {
      this.#note(this.#asked, answer);
      this.#takeDown();
    }
    if (!this.#isStopped) this.#next();
    if (answer === 'yes') return;
    throw answer === 'gone' ? goneError(gone) : refusal(answer);
  }

  /** This token is not valid any more: its calls end. @param holder the object that represents it */
  endOf(holder: object): void {
    for (const { call, answer } of [...this.#queue]) if (call.identity === holder) answer('ended');
  }

  #hear(event: GlassEvent): void {
    const asked = this.#asked;
    if (event.slot !== 'approval' || event.id !== asked?.id) return;
    if (asked.heedFrom === undefined || this.#options.clock.now() < asked.heedFrom) return;
    asked.waiting.answer(event.isYes ? 'yes' : 'no');
  }

  /** Asks for the call whose turn it is, unless a person is being asked already. */
  #next(): void {
    if (this.#asked !== undefined) return;
    const { screen, log } = this.#options;
    const [first] = this.#queue;
    if (first === undefined) {
      screen
        .show(null)
        .catch((error: unknown) => log.debug({ err: error }, 'approval: could not hide the question'));
      this.#hold(() => {});
    } else {
      this.#hold(screen.hold());
      this.#put(first);
    }
  }

  #put(waiting: Waiting): void {
    const { screen, journal, language, madeAt, clock, log } = this.#options;
    const { call } = waiting;
    const id = String(++this.#count);
    const asked: Asked = {
      waiting,
      id,
      since: clock.now(),
      heedFrom: undefined,
      endPatience: clock.after(PATIENCE_MS, () => waiting.answer('none')),
    };
    this.#asked = asked;
    const params = journal.readable(call.command, call.params);
    screen
      .show({
        id,
        seconds: PATIENCE_MS / 1_000,
        ...questionOf(call, params, language(), madeAt(call.identity.id)),
      })
      .then(
        () => {
          asked.heedFrom = clock.now() + HEED_MS;
        },
        (error: unknown) => {
          log.info({ err: error, command: call.command }, 'approval: could not show the question');
          waiting.answer('noScreen');
        },
      );
  }

  #takeDown(): void {
    this.#asked?.endPatience();
    this.#asked = undefined;
  }

  #note({ waiting: { call }, since }: Asked, answer: Answer): void {
    if (answer === 'stopped' || answer === 'noScreen') return;
    const { command, surface, identity, address } = call;
    const { id, name } = identity;
    this.#options.journal.note({
      command,
      surface,
      caller: { id, name, address },
      answer: answer === 'ended' ? 'gone' : answer,
      ms: Math.round(this.#options.clock.now() - since),
    });
  }

  /** A new hold begins before the old one ends: the screen stays on between two questions. */
  #hold(end: () => void): void {
    this.#release();
    this.#release = end;
  }
}

function refusal(answer: Exclude<Answer, 'yes' | 'gone'>): FaceplateError {
  switch (answer) {
    case 'no':
      return new FaceplateError('NOT_APPROVED', 'Somebody at the panel said no.');
    case 'none':
      return new FaceplateError(
        'NOT_APPROVED',
        `Nobody at the panel said yes within ${PATIENCE_MS / 1_000} seconds.`,
      );
    case 'noScreen':
      return new FaceplateError(
        'NOT_APPROVED',
        'This call needs a yes at the panel, and there is no screen now to ask on.',
      );
    case 'ended':
      return new FaceplateError('UNAUTHORIZED', 'The token was revoked or has expired.');
    case 'stopped':
      return new FaceplateError('SHUTTING_DOWN');
  }
}

function goneError({ reason }: AbortSignal): FaceplateError {
  return reason instanceof FaceplateError
    ? reason
    : new FaceplateError('REQUEST_TIMEOUT', 'The caller is gone.');
}
