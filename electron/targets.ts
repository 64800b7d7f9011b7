import type { WebContents } from 'electron';
import { askedOnce, type LiveTarget } from '../server/kiosk/chromium/live/target.ts';
import type { CdpEvent, CdpSend } from '../server/kiosk/chromium/process/cdpProtocol.ts';

interface TargetsOptions {
  readonly onEvent: (event: CdpEvent) => void;
  /** A page has ended. */
  readonly onGone?: (sessionId: string) => void;
  /** Whether something above the kiosk page blocks its input. */
  readonly isDeaf?: () => boolean;
}

/** Between the name of a page's session and the session of a frame in it. */
const IN = '/';

/** The session of the page that holds this frame, or its own. */
export function pageOf(sessionId: string): string {
  return sessionId.split(IN, 1)[0]!;
}

/** The session of a frame, from that of its page or of a frame in it, and the name that Chromium gives it. */
export function frameOf(sessionId: string, frame: string): string {
  return `${pageOf(sessionId)}${IN}${frame}`;
}

/**
 * The pages by Chromium's protocol, which Electron's `debugger` speaks: what watches and steers them so is the code of
 * the Chromium host.
 */
export class Targets {
  readonly #options: TargetsOptions;
  readonly #targets = new WeakMap<WebContents, LiveTarget>();
  readonly #pages = new Map<string, WebContents>();
  #made = 0;

  constructor(options: TargetsOptions) {
    this.#options = options;
  }

  /** The target of a page; nothing is attached to it before the first command. */
  of(contents: WebContents, kind: LiveTarget['kind']): LiveTarget {
    const known = this.#targets.get(contents);
    if (known !== undefined) return known;
    const { onEvent, onGone, isDeaf } = this.#options;
    const sessionId = `window ${++this.#made}`;
    this.#pages.set(sessionId, contents);
    contents.on('destroyed', () => {
      this.#pages.delete(sessionId);
      onGone?.(sessionId);
    });
    contents.debugger.on('message', (_event, method, params, frame) =>
      onEvent({ method, params, sessionId: frame ? frameOf(sessionId, frame) : sessionId } as CdpEvent),
    );
    const target: LiveTarget = {
      sessionId,
      send: (method, params) => this.send(method, params, sessionId),
      kind,
      isDeaf: () => kind === 'page' && isDeaf?.() === true,
    };
    this.#targets.set(contents, target);
    return target;
  }

  /** The page of a session; undefined once it has ended. */
  contentsOf(sessionId: string): WebContents | undefined {
    return this.#pages.get(pageOf(sessionId));
  }

  /** Sends one command to a page or a frame in it. Rejects when it is gone. */
  readonly send: CdpSend = async (method, params, sessionId = '') => {
    const contents = this.contentsOf(sessionId);
    if (contents === undefined) throw new Error('The page is gone.');
    const tools = contents.debugger;
    if (!tools.isAttached()) {
      tools.attach('1.3');
      // Not waited for: a page that was sent nowhere yet may leave commands unanswered until it is (electron.d.ts).
      tools.sendCommand('Page.enable').catch(() => {});
    }
    const frame = sessionId.split(IN)[1];
    const once = 'expression' in params ? { ...params, expression: askedOnce(params.expression) } : params;
    // Electron refuses an empty session.
    return frame === undefined ? tools.sendCommand(method, once) : tools.sendCommand(method, once, frame);
  };
}
