import type { ConsoleLevel } from '../server/contract/page.ts';
import type { PageSays } from '../server/kiosk/pageEntries.ts';

/** What Electron's event `console-message` tells. */
interface ConsoleMessage {
  readonly level: 'info' | 'warning' | 'error' | 'debug';
  readonly message: string;
  /** From 1; 0 where there is none. */
  readonly lineNumber: number;
  readonly sourceId: string;
}

const EXCEPTION = /^Uncaught\b/;
const REJECTION = /^Uncaught \(in promise\)/;
const FAILED_REQUEST = /^Failed to load resource: /;
const SECURITY = /Content Security Policy|^Refused to |has been blocked by CORS policy/;

/**
 * One line of the console. Electron does not tell where it comes from: exceptions, failed requests and refusals are told
 * by Chromium's own words.
 */
export function saysOf({ level, message, lineNumber, sourceId }: ConsoleMessage): PageSays {
  return {
    level: level === 'error' ? kindOf(message) : level === 'info' ? 'log' : level,
    text: message,
    url: sourceId,
    line: lineNumber > 0 ? lineNumber : undefined,
  };
}

export function isRejection(text: string): boolean {
  return REJECTION.test(text);
}

/** Whether it is a request for a script of the page's own origin that failed. @param page address of the page */
export function isMissingScript({ level, url = '' }: PageSays, page: string): boolean {
  if (level !== 'network' || !URL.canParse(url)) return false;
  const { origin, pathname } = new URL(url);
  return origin === new URL(page).origin && /\.m?js$/.test(pathname);
}

function kindOf(message: string): ConsoleLevel {
  if (EXCEPTION.test(message)) return 'exception';
  if (FAILED_REQUEST.test(message)) return 'network';
  return SECURITY.test(message) ? 'security' : 'error';
}
