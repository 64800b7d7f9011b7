import type { JoinMessage, PageMessage } from '../server/contract/pageBridge.ts';

type Fn = (...args: never[]) => unknown;

/** The parts of the page's global object that the joins use. */
interface JoinsGlobal {
  readonly reportError: (error: unknown) => void;
  readonly setTimeout: (act: () => void, ms: number) => unknown;
  addEventListener(type: string, listener: () => void, isCapturing: boolean): void;
  faceplateJoins?: JoinsFactory | undefined;
  /** The functions by which the library of the page receives values. */
  readonly [receiver: string]: unknown;
}

/** Makes the joins of a page. @param post sends to the host */
export type JoinsFactory = (post: (message: PageMessage) => void) => {
  /** What the library of a CH5 project sends to. */
  readonly JSInterface: Readonly<Record<string, Fn>>;
  receive(messages: readonly JoinMessage[]): void;
  /** The host may send from now on. */
  begin(): void;
};

/**
 * Provides the maker of joins to installBridge, which removes it from the page before the page's first script. Copied into
 * the page as text, like installBridge: it must not use anything outside itself.
 * @param page the global object; null means the one the function runs in.
 */
export function offerJoins(page: JoinsGlobal | null): void {
  const scope = page ?? (globalThis as unknown as JoinsGlobal);
  const { apply } = Reflect;
  const { create, freeze } = Object;
  const { trunc } = Math;
  const { warn } = console;
  const { reportError, setTimeout, addEventListener } = scope;
  /** Longest value, in characters: the host takes no longer one. */
  const LONGEST = 16_384;
  /** So many values wait for a page that has no library yet; then only the last of each join. */
  const MOST_WAITING = 2_000;

  scope.faceplateJoins = (post) => {
    let waiting: JoinMessage[] = [];
    let isLooking = false;

    const send = (kind: 'boolean' | 'integer' | 'string' | 'object', name: unknown, given: unknown) => {
      let value = given;
      if (kind === 'boolean') value = !!given;
      // As a whole number of the host's language takes it.
      else if (kind === 'integer') value = typeof given === 'number' ? trunc(given) : given;
      const isLong = (text: unknown) => typeof text === 'string' && text.length > LONGEST;
      if (isLong(name) || isLong(value)) {
        apply(warn, undefined, ['A value of a join is longer than 16,384 characters, and was not sent.']);
        return;
      }
      const isPlain = (one: unknown) =>
        typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean';
      if (!isPlain(value)) return;
      post({ join: kind, name: typeof name === 'number' ? `${name}` : isPlain(name) ? name : '', value });
    };

    /** By the names that the library of the page gives its functions. */
    const receiverOf = (kind: JoinMessage[0]): unknown => {
      if (kind === 'boolean') return scope.bridgeReceiveBooleanFromNative;
      if (kind === 'integer') return scope.bridgeReceiveIntegerFromNative;
      if (kind === 'string') return scope.bridgeReceiveStringFromNative;
      return scope.bridgeReceiveObjectFromNative;
    };

    /** @returns whether the page has taken it */
    const deliver = ([kind, name, value]: JoinMessage): boolean => {
      if (kind === 'note') {
        apply(warn, undefined, [value]);
        return true;
      }
      try {
        const receiver = receiverOf(kind);
        if (typeof receiver !== 'function') return false;
        apply(receiver, scope, [name, value]);
      } catch (error) {
        apply(reportError, scope, [error]);
      }
      return true;
    };

    /** The last value of each join, in their order. */
    const lastOnes = (messages: readonly JoinMessage[]): JoinMessage[] => {
      const seen: Record<string, true> = create(null);
      const last: JoinMessage[] = [];
      for (let i = messages.length - 1; i >= 0; i--) {
        const key = `${messages[i]![0]}/${messages[i]![1]}`;
        if (seen[key]) continue;
        seen[key] = true;
        last[last.length] = messages[i]!;
      }
      const ordered: JoinMessage[] = [];
      for (let i = last.length - 1; i >= 0; i--) ordered[ordered.length] = last[i]!;
      return ordered;
    };

    const deliverAll = () => {
      const all = waiting;
      waiting = [];
      for (let i = 0; i < all.length; i++) if (!deliver(all[i]!)) waiting[waiting.length] = all[i]!;
    };

    /** Tries again and again, each time later, for a library that comes without a load event. */
    const look = (ms: number) => {
      isLooking = true;
      apply(setTimeout, scope, [
        () => {
          deliverAll();
          if (waiting.length > 0) look(ms < 5_000 ? ms * 2 : ms);
          else isLooking = false;
        },
        ms,
      ]);
    };

    const JSInterface: Record<string, Fn> = create(null);
    const add = (name: string, act: Fn) => {
      JSInterface[name] = freeze(act);
    };
    add('bridgeSendBooleanToNative', (name: unknown, value: unknown) => send('boolean', name, value));
    add('bridgeSendIntegerToNative', (name: unknown, value: unknown) => send('integer', name, value));
    add('bridgeSendStringToNative', (name: unknown, value: unknown) => send('string', name, value));
    add('bridgeSendObjectToNative', (name: unknown, value: unknown) => send('object', name, value));
    // The host gives the page every value: there is nothing to ask for.
    const kinds = ['Boolean', 'Integer', 'String', 'Object'];
    for (let i = 0; i < kinds.length; i++) {
      add(`bridgeSubscribe${kinds[i]}SignalFromNative`, () => {});
      add(`bridgeUnsubscribe${kinds[i]}SignalFromNative`, () => {});
    }

    return {
      JSInterface: freeze(JSInterface),
      receive: (messages) => {
        for (let i = 0; i < messages.length; i++) waiting[waiting.length] = messages[i]!;
        deliverAll();
        if (waiting.length > MOST_WAITING) waiting = lastOnes(waiting);
        if (waiting.length > 0 && !isLooking) look(50);
        post({ joins: 'taken' });
      },
      begin: () => {
        // Events of scripts do not bubble, so they are caught on their way down.
        apply(addEventListener, scope, ['load', deliverAll, true]);
        apply(addEventListener, scope, ['DOMContentLoaded', deliverAll, true]);
        post({ joins: 'ready' });
      },
    };
  };
}
