import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { BridgeSink, HostPolicy, PageCaller } from '../../host.ts';
import type { CdpEvent, ExecutionContext } from '../process/cdpProtocol.ts';

interface BridgeGateOptions {
  /** Also the id of the target's main frame. */
  readonly targetId: string;
  readonly policy: Pick<HostPolicy, 'bridgeOrigins'>;
  readonly sink: BridgeSink;
  /** The URL that the page shows, as the browser process reports it. */
  readonly browserUrl: () => Promise<string>;
  /** Sends a JSON string to the document of this context; the string is dropped when the document is gone. */
  readonly deliver: (uniqueContextId: string, json: string) => void | Promise<void>;
  readonly log: Logger;
  readonly clock: Clock;
}

interface Document {
  readonly context: ExecutionContext;
  /** Set once the browser process has confirmed the origin. */
  caller: PageCaller | undefined;
  /** Messages that wait for that confirmation. */
  waiting: string[] | undefined;
}

/** The browser process may report a new document a moment after the document's first script has called. */
const CONFIRM_ATTEMPTS = 10;
const CONFIRM_EVERY_MS = 100;

/**
 * Decides who may speak through the bridge. The page script is no defence: whatever calls the binding is checked here,
 * against facts that no script of a page can change. A call is accepted only from the main world of the main frame,
 * with an origin of the policy's list that the browser process confirms (the context's own origin is only the
 * renderer's claim).
 */
export class BridgeGate {
  readonly #options: BridgeGateOptions;
  readonly #documents = new Map<number, Document>();
  #refused = 0;

  constructor(options: BridgeGateOptions) {
    this.#options = options;
  }

  /** @param binding its name in this run @returns whether the event was meant for the gate */
  handle(event: CdpEvent, binding: string): boolean {
    switch (event.method) {
      case 'Runtime.executionContextCreated':
        this.contextCreated(event.params.context);
        return true;
      case 'Runtime.executionContextDestroyed':
        this.contextDestroyed(event.params.executionContextId);
        return true;
      case 'Runtime.executionContextsCleared':
        this.clear();
        return true;
      case 'Runtime.bindingCalled':
        if (event.params.name !== binding) return false;
        this.call(event.params.executionContextId, event.params.payload);
        return true;
      default:
        return false;
    }
  }

  contextCreated(context: ExecutionContext): void {
    this.#documents.set(context.id, { context, caller: undefined, waiting: undefined });
  }

  contextDestroyed(id: number): void {
    const document = this.#documents.get(id);
    this.#documents.delete(id);
    if (document?.caller !== undefined) this.#options.sink.onPageGone();
  }

  /** All documents are gone after a navigation, a crash or a closed window. */
  clear(): void {
    for (const id of [...this.#documents.keys()]) this.contextDestroyed(id);
  }

  /** A frame of the kiosk page called the binding. */
  call(contextId: number, json: string): void {
    const document = this.#documents.get(contextId);
    if (document === undefined || !this.#mayCall(document.context)) {
      this.#refuse(document?.context);
    } else if (document.caller !== undefined) {
      this.#options.sink.onMessage(document.caller, json);
    } else if (document.waiting !== undefined) {
      document.waiting.push(json);
    } else {
      document.waiting = [json];
      void this.#admit(document);
    }
  }

  #mayCall({ auxData, origin }: ExecutionContext): boolean {
    return (
      auxData?.frameId === this.#options.targetId && auxData.isDefault === true && this.#isListed(origin)
    );
  }

  #isListed(origin: string): boolean {
    return this.#options.policy.bridgeOrigins().includes(origin);
  }

  async #admit(document: Document): Promise<void> {
    const { context } = document;
    const confirmed = await this.#confirmOrigin(context);
    if (this.#documents.get(context.id) !== document) return;
    const waiting = document.waiting ?? [];
    document.waiting = undefined;
    if (!confirmed) {
      this.#refuse(context);
      return;
    }
    document.caller = {
      origin: context.origin,
      reply: (json) =>
        this.#isListed(context.origin) ? this.#options.deliver(context.uniqueId, json) : undefined,
    };
    for (const json of waiting) this.call(context.id, json);
  }

  async #confirmOrigin(context: ExecutionContext): Promise<boolean> {
    const { browserUrl, clock } = this.#options;
    for (let attempt = 0; attempt < CONFIRM_ATTEMPTS; attempt++) {
      if (attempt > 0) await new Promise<void>((resolve) => clock.after(CONFIRM_EVERY_MS, resolve));
      if (!this.#documents.has(context.id)) return false;
      const url = await browserUrl().catch(() => '');
      if (URL.canParse(url) && new URL(url).origin === context.origin) return true;
    }
    return false;
  }

  #refuse(context: ExecutionContext | undefined): void {
    this.#refused++;
    // A hostile frame can call without end, so only the 1st, 2nd, 4th, 8th call and so on is logged.
    const level = (this.#refused & (this.#refused - 1)) === 0 ? 'warn' : 'debug';
    const { origin, auxData } = context ?? {};
    this.#options.log[level](
      { origin, frame: auxData?.frameId, refused: this.#refused },
      'bridge: call refused',
    );
  }
}
