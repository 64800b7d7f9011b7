import { randomBytes } from 'node:crypto';
import { watchFields } from '../../../../preload/fieldWatch.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { FieldFocus, TextField } from '../../host.ts';
import { fieldReport } from '../../keyboard/contract.ts';
import type { CdpEvent, CdpSend } from '../process/cdpProtocol.ts';

/** A focus that comes later after a touch or key is not the person's, in milliseconds. */
const BY_PERSON_MS = 1_000;
/** The longest report of preload/fieldWatch.ts is far shorter. */
const MAX_REPORT = 1_000;

/** A report of preload/fieldWatch.ts. */
type FieldReport =
  | { readonly kind: 'gesture'; readonly by: 'touch' | 'other' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'focus'; readonly field: TextField | undefined };

/** @returns undefined for what is no report */
function readReport(json: string): FieldReport | undefined {
  if (json.length > MAX_REPORT) return undefined;
  try {
    const report = fieldReport.parse(JSON.parse(json));
    if (report.by !== undefined) return { kind: 'gesture', by: report.by };
    return report.closed ? { kind: 'closed' } : { kind: 'focus', field: report.field };
  } catch {
    return undefined;
  }
}

/** What a person did last, in any frame. */
class Gesture {
  readonly #clock: Clock;
  #last: { readonly by: 'touch' | 'other'; readonly at: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(by: 'touch' | 'other'): void {
    this.#last = { by, at: this.#clock.now() };
  }

  /** What the person did just now, null for nothing; it counts for one focus: scripts may move it on and on. */
  take(): 'touch' | 'other' | null {
    const last = this.#last;
    this.#last = undefined;
    return last !== undefined && this.#clock.now() - last.at <= BY_PERSON_MS ? last.by : null;
  }
}

/** An isolated world in every frame: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate';

/** Where the focused field is. */
interface FieldPlace {
  /** Of the page or frame that holds it. */
  readonly sessionId: string;
  readonly contextId: number;
  /** Of the page that holds this frame: input sent there reaches the field, whichever process its frame has. */
  readonly page: string;
}

interface FieldWatchOptions {
  readonly send: CdpSend;
  readonly onField: (focus: FieldFocus | undefined) => void;
  readonly clock: Clock;
  /** A command failed because its target is already gone. */
  readonly onLate: (error: Error) => void;
}

/** Knows which field of text has the focus, in all frames and shadow trees of the pages that are watched. */
export class FieldWatch {
  readonly #options: FieldWatchOptions;
  readonly #binding = `_${randomBytes(12).toString('hex')}`;
  readonly #tools = `_${randomBytes(12).toString('hex')}`;
  /** The page of each watched session. */
  readonly #pages = new Map<string, string>();
  readonly #gesture: Gesture;
  #place: FieldPlace | undefined;

  constructor(options: FieldWatchOptions) {
    this.#options = options;
    this.#gesture = new Gesture(options.clock);
  }

  /** Where the focus is; undefined while no field has it. */
  get place(): FieldPlace | undefined {
    return this.#place;
  }

  /**
   * Watches the frames of a target, on which Runtime is enabled; takes effect with the next document.
   * @param page session of the page that it is a frame of, or its own
   * @param isRunning the target did not wait for us: its present document is watched too
   */
  watch(sessionId: string, page: string, isRunning = false): void {
    this.#pages.set(sessionId, page);
    const { send, onLate } = this.#options;
    const source = `(() => {
  const tell = globalThis[${JSON.stringify(this.#binding)}];
  if (tell) globalThis[${JSON.stringify(this.#tools)}] = (${watchFields.toString()})(null, tell);
})();`;
    const binding = { name: this.#binding, executionContextName: WORLD };
    send('Runtime.addBinding', binding, sessionId).catch(onLate);
    const script = { source, worldName: WORLD, ...(isRunning && { runImmediately: true }) };
    send('Page.addScriptToEvaluateOnNewDocument', script, sessionId).catch(onLate);
  }

  /** @returns whether the event was meant for this guard alone */
  handle(event: CdpEvent): boolean {
    const place = this.#place;
    switch (event.method) {
      case 'Runtime.bindingCalled': {
        const { name, payload, executionContextId: contextId } = event.params;
        if (name !== this.#binding) return false;
        const sessionId = event.sessionId ?? '';
        const page = this.#pages.get(sessionId);
        if (page !== undefined) this.#take({ sessionId, contextId, page }, payload);
        return true;
      }
      case 'Runtime.executionContextDestroyed':
        if (event.sessionId === place?.sessionId && event.params.executionContextId === place?.contextId)
          this.#lose();
        return false;
      case 'Runtime.executionContextsCleared':
      case 'Inspector.targetCrashed':
        if (event.sessionId === place?.sessionId) this.#lose();
        return false;
      default:
        return false;
    }
  }

  /** A target is gone; without a session, all of them. */
  forget(sessionId?: string): void {
    if (sessionId === undefined) this.#pages.clear();
    else this.#pages.delete(sessionId);
    const { sessionId: frame, page } = this.#place ?? {};
    if (frame !== undefined && [frame, page, undefined].includes(sessionId)) this.#lose();
  }

  /** Brings the field that has the focus into view, once the page has got its new size. */
  reveal(): void {
    const place = this.#place;
    if (place !== undefined) this.#call(place, 'reveal()').catch(this.#options.onLate);
  }

  #take(place: FieldPlace, payload: string): void {
    const report = readReport(payload);
    if (report === undefined) return;
    if (report.kind === 'gesture') {
      this.#gesture.note(report.by);
    } else if (report.kind === 'closed') {
      this.#open(place).catch(this.#options.onLate);
    } else if (report.field !== undefined) {
      this.#place = place;
      this.#options.onField({ field: report.field, by: this.#gesture.take() });
    } else if (this.#place?.sessionId === place.sessionId && this.#place.contextId === place.contextId) {
      this.#lose();
    }
  }

  #lose(): void {
    this.#place = undefined;
    this.#options.onField(undefined);
  }

  /** Hands a closed shadow tree to the script of its frame: only the browser can look into one. */
  async #open(place: FieldPlace): Promise<void> {
    const { send } = this.#options;
    const { sessionId, contextId } = place;
    const { result: host } = await this.#call(place, 'host()');
    if (host.objectId === undefined) return;
    const { node } = await send('DOM.describeNode', { objectId: host.objectId, depth: 0 }, sessionId);
    const root = node.shadowRoots?.find(({ shadowRootType }) => shadowRootType === 'closed');
    if (root === undefined) {
      await this.#call(place, 'adopt(null)');
      return;
    }
    const { backendNodeId } = root;
    const resolved = { backendNodeId, executionContextId: contextId };
    const { objectId } = (await send('DOM.resolveNode', resolved, sessionId)).object;
    const functionDeclaration = `function() { globalThis[${JSON.stringify(this.#tools)}]?.adopt(this); }`;
    await send('Runtime.callFunctionOn', { objectId: objectId ?? '', functionDeclaration }, sessionId);
  }

  #call({ sessionId, contextId }: FieldPlace, what: string) {
    const expression = `globalThis[${JSON.stringify(this.#tools)}]?.${what}`;
    return this.#options.send('Runtime.evaluate', { expression, contextId, silent: true }, sessionId);
  }
}
