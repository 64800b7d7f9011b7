import type { WebContents } from 'electron';
import type { LiveTarget, SendTo } from '../server/kiosk/chromium/live/target.ts';
import type { ScreencastFrame } from '../server/kiosk/chromium/process/cdpProtocol.ts';

/** Windows as they can be watched: Electron's `debugger` speaks Chromium's protocol, so all else is the same code. */
export class LiveTargets {
  readonly #onPicture: (sessionId: string, picture: ScreencastFrame) => void;
  readonly #targets = new WeakMap<WebContents, LiveTarget>();
  /** Whether something that lies over the page keeps input from it. */
  readonly #isDeaf: () => boolean;
  #made = 0;

  constructor(
    onPicture: (sessionId: string, picture: ScreencastFrame) => void,
    isDeaf: () => boolean = () => false,
  ) {
    this.#onPicture = onPicture;
    this.#isDeaf = isDeaf;
  }

  /** The target of a window; nothing is attached to it before the first command. */
  of(contents: WebContents, kind: LiveTarget['kind']): LiveTarget {
    const known = this.#targets.get(contents);
    if (known !== undefined) return known;
    const sessionId = `window ${++this.#made}`;
    const send: SendTo = async (method, params) => {
      const tools = contents.debugger;
      if (!tools.isAttached()) {
        tools.attach('1.3');
        await tools.sendCommand('Page.enable');
      }
      return tools.sendCommand(method, params);
    };
    contents.debugger.on('message', (_event, method, params) => {
      if (method === 'Page.screencastFrame') this.#onPicture(sessionId, params as ScreencastFrame);
    });
    const target: LiveTarget = { sessionId, send, kind, isDeaf: () => kind === 'page' && this.#isDeaf() };
    this.#targets.set(contents, target);
    return target;
  }
}
