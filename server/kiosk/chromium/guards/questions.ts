import { randomBytes } from 'node:crypto';
import type { PageDialog } from '../../host.ts';

/**
 * Where the window guard (preload/windowGuard.ts) sends a question of the page, on the page's own origin. The request
 * waits at the browser, never leaves it, and the page stands still meanwhile, as it does below a dialog of the
 * browser's. No page can know the path beforehand; one that learns it can ask what `confirm` asks.
 */
export const DIALOG_PATH = `/_${randomBytes(12).toString('hex')}`;

/** Longest question, in characters of JSON; the window guard cuts what is longer. */
const LONGEST = 100_000;

interface PausedRequest {
  readonly url: string;
  readonly method?: string;
  readonly postData?: string;
}

export function isQuestion({ url }: PausedRequest): boolean {
  return url.endsWith(DIALOG_PATH);
}

/** The question of such a request; undefined when it is none. */
export function questionOf({ url, method, postData = '' }: PausedRequest): PageDialog | undefined {
  if (method !== 'POST' || postData.length > LONGEST) return undefined;
  let asked: unknown;
  try {
    asked = JSON.parse(postData);
  } catch {
    return undefined;
  }
  if (typeof asked !== 'object' || asked === null) return undefined;
  const { kind, text, value } = asked as Partial<Record<keyof PageDialog, unknown>>;
  if (kind !== 'alert' && kind !== 'confirm' && kind !== 'prompt') return undefined;
  const { origin } = new URL(url);
  return { kind, origin, text: String(text ?? ''), value: String(value ?? '') };
}

/**
 * The script of the isolated world that sends them: there no script of the page can see, and no service worker of the
 * page answers.
 * @param told type of the event by which the window guard asks; it brings an element with the question, which takes the
 * answer
 */
export function questionScript(told: string): string {
  const ask = `(${sendQuestion.toString()})(event, ${JSON.stringify(DIALOG_PATH)})`;
  return `{
  const ask = (event) => ${ask};
  const listen = () => document.addEventListener(${JSON.stringify(told)}, ask);
  listen();
  // document.open() removes the listeners of every world, but no observer.
  new MutationObserver(listen).observe(document, { childList: true });
}`;
}

interface AskEvent {
  readonly relatedTarget: {
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
  };
}

/** Copied into the page as text, so it must not use anything outside itself. */
function sendQuestion({ relatedTarget: note }: AskEvent, path: string): void {
  const { XMLHttpRequest, origin } = globalThis as unknown as {
    readonly XMLHttpRequest: new () => {
      readonly status: number;
      readonly responseText: string;
      open(method: string, url: string, isAsync: boolean): void;
      send(body: string | null): void;
    };
    readonly origin: string;
  };
  try {
    const request = new XMLHttpRequest();
    request.open('POST', origin + path, false);
    request.send(note.getAttribute('question'));
    if (request.status === 200) note.setAttribute('answer', request.responseText);
  } catch {
    // The page may connect nowhere: it gets the answer of a person who cancelled.
  }
}
