import type { Dispatch } from '../../commands/dispatch.ts';
import type { Identity } from '../../contract/access.ts';
import type { CommandName } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { events, type Snapshot } from '../../contract/events.ts';
import type { HostMessage, JoinMessage } from '../../contract/pageBridge.ts';
import type { BridgeSink, PageCaller } from '../../kiosk/host.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { ResourceScopes } from '../../platform/resourceScopes.ts';
import { readPageMessage, textOf } from './messages.ts';
import { pageSurfaces } from './pageSurfaces.ts';

/** The joins of a project, as the document that is shown speaks with them. */
interface ShownJoins {
  /** A value that the page sends. Never throws. */
  heard(kind: string, name: unknown, value: unknown): void;
  /** The page has taken what was sent to it last. */
  taken(): void;
  /** Gives the page all values, and from then on each new one. */
  begin(snapshot: Snapshot): void;
  /** The document is gone. */
  end(): void;
}

/** What the joins are given of a document. */
interface JoinsPage {
  readonly origin: string;
  send(messages: readonly JoinMessage[]): void;
  /** Makes a call with the rights of the page. @throws FaceplateError */
  call(command: CommandName, params: unknown): Promise<unknown>;
  /** Hears what is for this page alone. */
  hear(listener: (name: string, payload: unknown) => void): void;
}

interface BridgeOptions {
  readonly dispatch: Dispatch;
  readonly bus: EventBus;
  readonly holders: ResourceScopes;
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
  /** Projects with joins; undefined for a document that has none. Without it: none have. */
  readonly joins?: { attach(page: JoinsPage): ShownJoins | undefined };
  readonly log: Logger;
  /** Milliseconds; only differences count. */
  readonly now?: () => number;
}

const FLOOD = 'The page calls too often. Wait for answers before calling again.';

/**
 * Turns the messages of the kiosk page into dispatched commands and sends back the answers and the events that the page
 * asked for. One page at a time: when its document is gone, its calls are aborted, its subscriptions dropped, and what
 * belongs to it ends.
 */
export function createBridge(options: BridgeOptions): BridgeSink {
  const { log } = options;
  const surfaces = pageSurfaces();
  let page: Page | undefined;

  const end = () => {
    page?.end();
    page = undefined;
  };

  return {
    onMessage(caller, json) {
      if (page?.caller !== caller) {
        end();
        page = new Page(caller, options);
      }
      const request = readPageMessage(json, surfaces);
      // Not counted: each is the answer to a message of ours.
      if (request.kind === 'joins') return page.followJoins(request.isFirst);
      if (!page.mayGoOn()) {
        if ('id' in request) page.fail(request.id, new FaceplateError('RATE_LIMITED', FLOOD));
        return;
      }
      switch (request.kind) {
        case 'call':
          void page.call(request.id, request.command, request.params);
          break;
        case 'refused':
          page.fail(request.id, request.error);
          break;
        case 'subscribe':
          void page.subscribe(request.event);
          break;
        case 'unsubscribe':
          page.unsubscribe(request.event);
          break;
        case 'join':
          page.join(request.join);
          break;
        case 'ignored':
          log.warn({ origin: caller.origin, why: request.why }, 'bridge: page message ignored');
      }
    },
    onPageGone: end,
  };
}

/** One document that holds the bridge. */
class Page {
  readonly caller: PageCaller;
  readonly #options: BridgeOptions;
  readonly #identity: Identity;
  readonly #running = new Set<AbortController>();
  readonly #subscriptions = new Set<string>();
  #stopListening: (() => void) | undefined;
  #stopPrivate: (() => void) | undefined;
  #joins: ShownJoins | undefined;
  readonly #budget: PageBudget;
  readonly #leave: () => void;
  #isFlooding = false;
  #gone = false;

  constructor(caller: PageCaller, options: BridgeOptions) {
    this.#budget = new PageBudget(options.now ?? (() => performance.now()));
    this.caller = caller;
    this.#identity = { id: 'page', name: caller.origin, scopes: [] };
    this.#options = options;
    // It is there without listening, too: what belongs to it stays as long as the document.
    this.#leave = options.holders.attend(this.#identity);
  }

  /** Whether one more message is accepted. */
  mayGoOn(): boolean {
    const allowed = this.#budget.allows(this.#running.size);
    if (!allowed && !this.#isFlooding)
      this.#options.log.warn({ origin: this.caller.origin }, 'bridge: too many calls from the page');
    this.#isFlooding = !allowed;
    return allowed;
  }

  async call(id: number, command: CommandName, params: unknown): Promise<void> {
    try {
      this.#send({ id, result: textOf(await this.#run(command, params)) });
    } catch (error) {
      this.fail(id, this.#toCallerError(error, command));
    }
  }

  async #run(command: CommandName, params: unknown): Promise<unknown> {
    const controller = new AbortController();
    this.#running.add(controller);
    const { signal } = controller;
    try {
      return await this.#options.dispatch(command, params, {
        surface: 'page',
        identity: this.#identity,
        origin: this.caller.origin,
        address: null,
        signal,
      });
    } finally {
      this.#running.delete(controller);
    }
  }

  /** The page script of a project with joins begins, or has taken a message. */
  followJoins(isFirst: boolean): void {
    if (!isFirst || this.#joins !== undefined) {
      this.#joins?.taken();
      return;
    }
    const { joins, bus } = this.#options;
    const attached = joins?.attach({
      origin: this.caller.origin,
      send: (messages) => void this.#send({ joins: messages }),
      call: async (command, params) => {
        if (this.#running.size >= RUNNING) throw new FaceplateError('RATE_LIMITED', FLOOD);
        return this.#run(command, params).catch((error: unknown) => {
          throw this.#toCallerError(error, command);
        });
      },
      hear: (listener) => {
        this.#stopPrivate ??= bus.onAnyFor(this.#identity, listener);
      },
    });
    this.#joins = attached;
    if (attached === undefined) return;
    void this.#beginJoins(attached);
  }

  async #beginJoins(joins: ShownJoins): Promise<void> {
    try {
      const states = await this.#options.snapshot();
      if (!this.#gone) joins.begin(states);
    } catch (error) {
      this.#options.log.error({ err: error }, 'bridge: could not make the snapshot for the page');
    }
  }

  join([kind, name, value]: readonly [string, unknown, unknown]): void {
    this.#joins?.heard(kind, name, value);
  }

  fail(id: number, error: FaceplateError): void {
    this.#send({ id, error: error.toAnswer() });
  }

  async subscribe(event: string): Promise<void> {
    if (event === 'snapshot') {
      try {
        this.#send({ event, payload: await this.#options.snapshot() });
      } catch (error) {
        this.#options.log.error({ err: error }, 'bridge: could not make the snapshot for the page');
      }
    } else if (Object.hasOwn(events, event)) {
      this.#subscriptions.add(event);
      this.#stopListening ??= this.#options.bus.onAnyFor(this.#identity, (name, payload) =>
        this.#subscriptions.has(name) ? this.#send({ event: name, payload }) : undefined,
      );
    }
  }

  unsubscribe(event: string): void {
    this.#subscriptions.delete(event);
    if (this.#subscriptions.size === 0) this.#unlisten();
  }

  end(): void {
    this.#gone = true;
    this.#unlisten();
    this.#stopPrivate?.();
    for (const controller of this.#running) controller.abort();
    // After that: what a held button moves has to stop.
    this.#joins?.end();
    this.#leave();
    this.#options.holders.end(this.#identity);
  }

  #unlisten(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  /** @returns a promise for when the document has taken it, where the host can tell */
  #send(message: HostMessage): void | Promise<void> {
    if (!this.#gone) return this.caller.reply(JSON.stringify(message));
  }

  /** dispatch promises FaceplateError only; if it breaks that promise, the page still learns nothing internal. */
  #toCallerError(error: unknown, command: CommandName): FaceplateError {
    if (error instanceof FaceplateError) return error;
    this.#options.log.error(
      { err: error, commandName: command },
      'bridge: command failed with an unknown error',
    );
    return new FaceplateError('INTERNAL', undefined, { cause: error });
  }
}

/** How many calls a page may make at once after a pause, and per second in the long run. */
const BURST = 5_000;
const PER_SECOND = 1_000;
/** How many calls of one page may wait for their answer. */
const RUNNING = 2_000;

/**
 * Limits what one document may ask of the panel: a page that floods the bridge gets an error, and others are not
 * delayed.
 */
class PageBudget {
  readonly #now: () => number;
  #left = BURST;
  #filledAt: number;

  /** @param now milliseconds; only differences count. */
  constructor(now: () => number) {
    this.#now = now;
    this.#filledAt = now();
  }

  /** @returns whether one more message is within the limits while `running` calls wait. */
  allows(running: number): boolean {
    const now = this.#now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#filledAt) / 1_000) * PER_SECOND);
    this.#filledAt = now;
    if (this.#left < 1 || running >= RUNNING) return false;
    this.#left--;
    return true;
  }
}
