import type { ContainerSpec, PageMessage } from '../server/contract/pageBridge.ts';
import type { JoinsFactory } from './joins.ts';
import type { SipVideoFactory, StreamFactory } from './streamTools.ts';

/** All that a host gives the page script: a way to send JSON strings and a way to receive them. */
export interface PageTransport {
  post(json: string): void;
  listen(receive: (json: string) => void): void;
}

/** The parts of the page's global object that the script uses. */
interface PageGlobal {
  readonly EventTarget: typeof EventTarget;
  readonly MessageEvent: typeof MessageEvent;
  readonly reportError: (error: unknown) => void;
  /** Left by offerStreams, offerSipVideo and offerJoins; removed before the page can see them. */
  faceplateStreams?: StreamFactory;
  faceplateSipVideo?: SipVideoFactory;
  faceplateJoins?: JoinsFactory;
}

type Listener = (payload: unknown) => void;
type CallFields =
  | { readonly method: string; readonly args: readonly unknown[]; readonly json?: never }
  | { readonly bridge: string; readonly json: string; readonly args?: never }
  | { readonly call: string; readonly params: unknown; readonly args?: never; readonly json?: never };
/** Where the page made a call; the text is only made when it is read. */
interface CallSite {
  readonly stack?: string;
}
/** A function that the page calls: the stack of a call begins above it. */
// biome-ignore lint/complexity/noBannedTypes: any function, as Error.captureStackTrace takes it
type Entry = Function;
interface Call {
  readonly site: CallSite | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Builds the frozen `window.container` in the page's main world, before the page's first script.
 * The function is copied into the page as text (Chromium) or cloned by contextBridge.executeInMainWorld (Electron): it
 * must not use anything outside itself. It copies every language function that it needs at its start, so a page that
 * changes JSON or Promise later harms only itself.
 * @param page the global object; null means the one the function runs in.
 */
export function installBridge(page: PageGlobal | null, transport: PageTransport, spec: ContainerSpec): void {
  const scope = page ?? (globalThis as unknown as PageGlobal);
  const { parse, stringify } = JSON;
  const { create, defineProperty, freeze } = Object;
  const { apply } = Reflect;
  const PageError = Error;
  const { captureStackTrace } = PageError;
  const PagePromise = Promise;
  const then = Promise.prototype.then;
  const { indexOf, slice } = String.prototype;
  const { EventTarget, MessageEvent, reportError } = scope;
  const { addEventListener, removeEventListener, dispatchEvent } = EventTarget.prototype;
  const post = transport.post;
  const makeStreams = scope.faceplateStreams;
  const makeSipVideo = scope.faceplateSipVideo;
  const { warn } = console;
  delete scope.faceplateStreams;
  delete scope.faceplateSipVideo;
  const joins = scope.faceplateJoins?.((message) => post(stringify(message)));
  delete scope.faceplateJoins;

  let lastId = 0;
  const calls: Record<number, Call> = create(null);
  const listeners: Record<string, Listener[]> = create(null);
  for (const name of spec.events) listeners[name] = [];
  let snapshotListeners: Listener[] = [];

  /** Costs far less than an error, which most calls do not need. */
  const siteOf = (entry: Entry): CallSite => {
    const site = create(null);
    captureStackTrace(site, entry);
    return site;
  };

  const failure = (message: string, code: string, field?: string, site?: CallSite): Error => {
    const error = new PageError(message);
    const frames = site?.stack;
    if (typeof frames === 'string') {
      const from = apply(indexOf, frames, ['\n']);
      const stack = `Error: ${message}${from < 0 ? '' : apply(slice, frames, [from])}`;
      defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
    }
    defineProperty(error, 'code', { value: code, enumerable: true });
    if (field !== undefined) defineProperty(error, 'field', { value: field, enumerable: true });
    return error;
  };

  const tell = (receivers: readonly Listener[], payload: unknown) => {
    for (let i = 0; i < receivers.length; i++) {
      try {
        receivers[i]!(payload);
      } catch (error) {
        apply(reportError, scope, [error]);
      }
    }
  };

  const receive = (json: string) => {
    const message = parse(json);
    if (message.joins !== undefined) {
      joins?.receive(message.joins);
    } else if (message.event === 'snapshot') {
      const receivers = snapshotListeners;
      snapshotListeners = [];
      tell(receivers, message.payload);
    } else if (message.event !== undefined) {
      // A listener that is removed during an event still gets it, because EventTarget copies its list too.
      const receivers = listeners[message.event];
      if (receivers !== undefined) tell([...receivers], message.payload);
    } else {
      const call = calls[message.id];
      if (call === undefined) return;
      delete calls[message.id];
      const error = message.error;
      if (error === undefined) call.resolve(message.result);
      else call.reject(failure(error.error, error.code, error.field, call.site));
    }
  };

  /** Whether one text in the call is already too long; then the call need not be serialized. */
  const holdsTooLong = (fields: CallFields): boolean => {
    const { args, json } = fields;
    if (json !== undefined && json.length > spec.messageLimit) return true;
    for (let i = 0; args !== undefined && i < args.length; i++) {
      const arg = args[i];
      if (typeof arg === 'string' && arg.length > spec.messageLimit) return true;
    }
    return false;
  };

  /**
   * Sends a call; `fields` is the rest of the message after the id. A message that is too long is not posted: it would
   * only cost the host.
   * @param site for the stack of its error
   */
  const call = (fields: CallFields, site?: CallSite): Promise<unknown> =>
    new PagePromise((resolve, reject) => {
      const refuse = () => reject(failure('The message is longer than 1 MiB.', 'TOO_LARGE', undefined, site));
      if (holdsTooLong(fields)) {
        refuse();
        return;
      }
      const id = ++lastId;
      let json: string;
      try {
        json = stringify({ id, ...fields } satisfies PageMessage);
      } catch {
        const sentence = 'An argument cannot be written as JSON.';
        reject(failure(sentence, 'INVALID_REQUEST', undefined, site));
        return;
      }
      if (json.length > spec.messageLimit) {
        refuse();
        return;
      }
      calls[id] = { site, resolve, reject };
      post(json);
    });

  const makeMethod = (name: string, arity: number, jsonOf: string | undefined) => {
    const method = (...given: unknown[]) => {
      const args: unknown[] = [];
      for (let i = 0; i < given.length && i < arity; i++) args[i] = given[i];
      // JSON has no undefined: such an argument counts as left out.
      while (args.length > 0 && args[args.length - 1] === undefined) args.length--;
      const answer = call({ method: name, args }, siteOf(method));
      if (jsonOf === undefined) return answer;
      return apply(then, answer, [(result: Record<string, unknown>) => stringify(result[jsonOf])]);
    };
    return freeze(method);
  };

  /** `container.call`: any command that the page may use, by its name in the contract. */
  const callCommand = (command: unknown, params: unknown) => {
    const site = siteOf(callCommand);
    if (typeof command !== 'string') {
      const sentence = 'The first argument must be the name of a command, such as led.color.';
      return PagePromise.reject(failure(sentence, 'INVALID_REQUEST', 'command', site));
    }
    return call({ call: command, params: params === undefined ? {} : params }, site);
  };

  const addMethods = (target: Record<string, unknown>, object: 'container' | 'sip' | 'MobileBridge') => {
    const methods = spec.methods[object];
    for (const name in methods) {
      const { args, jsonOf } = methods[name]!;
      target[name] = makeMethod(`${object}.${name}`, args.length, jsonOf);
    }
  };

  const makeMessageBridge = (name: string) => {
    const target = new EventTarget();
    let handler: ((event: unknown) => unknown) | null = null;
    let hasListener = false;
    const announce = (data: string) => apply(dispatchEvent, target, [new MessageEvent('message', { data })]);
    const toHost = (json: string, site?: CallSite) => call({ bridge: name, json }, site);
    const send =
      name === 'streamBridge' && makeStreams !== undefined
        ? makeStreams({
            call: (fields) => toHost(stringify(fields)) as Promise<{ sdp?: string; talk?: string }>,
            failure,
            announce: (message) => announce(stringify(message)),
            onSession: (listener) => hear('stream', listener as Listener),
            onTalk: (listener) => hear('talk', listener as Listener),
            isUrl: (url) => /^(?:(?:rtsps?|onvif):\/\/|camera:)./i.test(url),
          })
        : toHost;
    const actionOf = (json: string): unknown => {
      try {
        return parse(json).action ?? null;
      } catch {
        return null;
      }
    };
    apply(addEventListener, target, ['message', (event: unknown) => handler?.(event)]);
    const postMessage = (message: unknown) => {
      let json: string;
      try {
        json = typeof message === 'string' ? message : stringify(message);
      } catch {
        json = '';
      }
      const answer = send(json, siteOf(postMessage));
      let isAwaited = false;
      // Pages that read the answers as messages ignore the promise: a failure must not become an unhandled rejection.
      apply(then, answer, [
        (result: unknown) => announce(stringify(result)),
        (error: { message: string; code: string }) => {
          announce(stringify({ action: actionOf(json), error: error.message, code: error.code }));
          if (!isAwaited && !hasListener && handler === null)
            apply(warn, undefined, [
              `${name}.postMessage failed, and nothing in the page reads the answer:`,
              error,
            ]);
        },
      ]);
      // `await` and `then` ask a promise for its constructor first (ECMA-262, PromiseResolve and SpeciesConstructor).
      const get = () => {
        isAwaited = true;
        return PagePromise;
      };
      return defineProperty(answer, 'constructor', { get, configurable: true });
    };
    const bridge = {
      postMessage: freeze(postMessage),
      addEventListener: freeze((...args: unknown[]) => {
        if (args[0] === 'message') hasListener = true;
        apply(addEventListener, target, args as never);
      }),
      removeEventListener: freeze((...args: unknown[]) => apply(removeEventListener, target, args as never)),
    };
    defineProperty(bridge, 'onmessage', {
      enumerable: true,
      get: () => handler,
      set: (value: unknown) => {
        handler = typeof value === 'function' ? (value as typeof handler) : null;
      },
    });
    return freeze(bridge);
  };

  const listenersIn = (all: Record<string, Listener[]>, event: unknown, known: string): Listener[] => {
    const found = typeof event === 'string' ? all[event] : undefined;
    if (found !== undefined) return found;
    throw failure(`There is no such event. Known: ${known}.`, 'INVALID_REQUEST', 'event');
  };
  const listenersOf = (event: unknown) =>
    listenersIn(listeners, event, `snapshot, ${spec.events.join(', ')}`);

  /** @returns whether it was not among them */
  const add = (receivers: Listener[], listener: Listener): boolean => {
    for (let i = 0; i < receivers.length; i++) if (receivers[i] === listener) return false;
    receivers[receivers.length] = listener;
    return true;
  };

  /** @returns whether it was among them */
  const remove = (receivers: Listener[], listener: Listener): boolean => {
    let kept = 0;
    for (let i = 0; i < receivers.length; i++)
      if (receivers[i] !== listener) receivers[kept++] = receivers[i]!;
    const removed = kept < receivers.length;
    receivers.length = kept;
    return removed;
  };

  const mustBeFunction = (listener: unknown) => {
    if (typeof listener !== 'function')
      throw failure('The listener must be a function.', 'INVALID_REQUEST', 'listener');
  };

  const on = (event: string, listener: Listener) => {
    mustBeFunction(listener);
    const receivers = event === 'snapshot' ? snapshotListeners : listenersOf(event);
    if (add(receivers, listener) && receivers.length === 1)
      post(stringify({ subscribe: event } satisfies PageMessage));
  };

  const off = (event: string, listener: Listener) => {
    const receivers = event === 'snapshot' ? snapshotListeners : listenersOf(event);
    if (remove(receivers, listener) && receivers.length === 0 && event !== 'snapshot')
      post(stringify({ unsubscribe: event } satisfies PageMessage));
  };

  const hear = (event: string, listener: Listener) => {
    on(event, listener);
    return () => off(event, listener);
  };

  const sipListeners: Record<string, Listener[]> = create(null);
  for (const name of spec.sipEvents) sipListeners[name] = [];
  const tellSip = (message: unknown) => {
    const { event, payload } = message as { event: string; payload: unknown };
    tell([...(sipListeners[event] ?? [])], payload);
  };
  const sipListenersOf = (event: unknown) => listenersIn(sipListeners, event, spec.sipEvents.join(', '));
  const sipOn = (event: string, listener: Listener) => {
    mustBeFunction(listener);
    if (add(sipListenersOf(event), listener)) on('sip', tellSip);
  };
  const sipOff = (event: string, listener: Listener) => {
    remove(sipListenersOf(event), listener);
    for (const name in sipListeners) if (sipListeners[name]!.length > 0) return;
    off('sip', tellSip);
  };
  const sip: Record<string, unknown> = { on: freeze(sipOn), off: freeze(sipOff) };
  addMethods(sip, 'sip');
  const pictures = makeSipVideo?.({
    call: (fields) => call({ bridge: 'sipVideo', json: stringify(fields) }) as Promise<{ sdp?: string }>,
    status: () => call({ method: 'sip.getStatus', args: [] }) as Promise<{ callStatus: string }>,
    onSip: (listener) => hear('sip', listener as Listener),
    failure,
  });
  if (pictures !== undefined)
    for (const name of ['showVideo', 'resizeVideo', 'hideVideo'] as const) sip[name] = freeze(pictures[name]);
  freeze(sip);

  const container: Record<string, unknown> = { version: spec.version, isOem: spec.isOem };
  for (const name of spec.bridges) container[name] = makeMessageBridge(name);
  addMethods(container, 'container');
  container.sip = sip;
  container.call = freeze(callCommand);
  container.on = freeze(on);
  container.off = freeze(off);
  freeze(container);

  const mobileBridge: Record<string, unknown> = {};
  addMethods(mobileBridge, 'MobileBridge');
  freeze(mobileBridge);

  transport.listen(receive);
  // A page may declare its own `const container`, `function container` or `var container`, as in any browser (ECMA-262,
  // GlobalDeclarationInstantiation): it takes the name only from itself, because the host knows calls by their origin.
  const offer = (name: string, value: unknown) =>
    defineProperty(scope, name, { value, enumerable: true, configurable: true, writable: true });
  offer('container', container);
  offer('MobileBridge', mobileBridge);
  if (joins !== undefined) offer('JSInterface', joins.JSInterface);
  // A name the browser already uses ("name", "top") stays the browser's.
  for (const alias of spec.aliases) if (!(alias in scope)) offer(alias, container);
  joins?.begin();
}
