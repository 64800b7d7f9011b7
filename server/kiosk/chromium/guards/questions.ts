import { randomBytes } from 'node:crypto';
import type { PageDialog } from '../../host.ts';
import { readQuestion } from '../../openDialogs.ts';

/**
 * Where the window guard (preload/windowGuard.ts) sends a question of the page, on the page's own origin. The request
 * waits at the browser, never leaves it, and the page stands still meanwhile, as it does below a dialog of the
 * browser's. No page can know the path beforehand; one that learns it can ask what `confirm` asks.
 */
export const DIALOG_PATH = `/_${randomBytes(12).toString('hex')}`;

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
  return method === 'POST' ? readQuestion(postData, new URL(url).origin) : undefined;
}

/**
 * The function that sends them (`ask` of preload/windowReports.ts), as text for the isolated world: there no script of
 * the page can see, and no service worker of the page answers.
 */
export const ASK_SCRIPT = `(question) => (${sendQuestion.toString()})(question, ${JSON.stringify(DIALOG_PATH)})`;

/** Copied into the page as text, so it must not use anything outside itself. */
function sendQuestion(question: string, path: string): string | null {
  const { XMLHttpRequest, origin } = globalThis as unknown as {
    readonly XMLHttpRequest: new () => {
      readonly status: number;
      readonly responseText: string;
      open(method: string, url: string, isAsync: boolean): void;
      send(body: string): void;
    };
    readonly origin: string;
  };
  try {
    const request = new XMLHttpRequest();
    request.open('POST', origin + path, false);
    request.send(question);
    return request.status === 200 ? request.responseText : null;
  } catch {
    // The page may connect nowhere: it gets the answer of a person who cancelled.
    return null;
  }
}
