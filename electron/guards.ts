import type { Session } from 'electron';
import type { HostPolicy } from '../server/kiosk/host.ts';
import { granted } from '../server/kiosk/permissions.ts';
import type { Refusals } from '../server/kiosk/refusals.ts';

/** The same table as in Chromium; nothing else is granted. */
const GRANTED = new Set(granted('electron'));

/** Where the refusals of each locked session are told: it is locked again whenever one of our pages opens in it. */
const told = new WeakMap<Session, Refusals>();

/** Closes the session: permissions for few origins only, no devices, no downloads. May be called again. */
export function lockSession(session: Session, policy: HostPolicy, refusals: Refusals): void {
  const media = () => policy.mediaOrigins?.() ?? policy.bridgeOrigins();
  const allows = (permission: string, url: string) =>
    GRANTED.has(permission) && URL.canParse(url) && media().includes(new URL(url).origin);
  // Both are needed: each one alone leaves the other half open.
  session.setPermissionRequestHandler((_contents, permission, answer, { isMainFrame, requestingUrl }) =>
    answer(isMainFrame && allows(permission, requestingUrl)),
  );
  session.setPermissionCheckHandler((_contents, permission, origin) => allows(permission, origin));
  session.setDevicePermissionHandler(() => false);
  const isLocked = told.has(session);
  told.set(session, refusals);
  if (isLocked) return;
  // Electron's own viewer would take the place of the page. A file to be saved is a download, and refused below.
  session.webRequest.onHeadersReceived(
    { urls: ['<all_urls>'], types: ['mainFrame', 'subFrame', 'object'] },
    ({ responseHeaders = {} }, answer) =>
      answer(isPdf(responseHeaders) ? { responseHeaders: asFile(responseHeaders) } : {}),
  );
  session.on('will-download', (event) => {
    event.preventDefault();
    told.get(session)?.tell('download refused');
  });
}

type Headers = Record<string, string[]>;

function isPdf(headers: Headers): boolean {
  const isType = ([name, values]: [string, string[]]) =>
    name.toLowerCase() === 'content-type' &&
    values.some((value) => /^(application|text)\/pdf\b/i.test(value));
  return Object.entries(headers).some(isType);
}

/** RFC 6266 section 4.2. */
function asFile(headers: Headers): Headers {
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-disposition');
  return { ...Object.fromEntries(others), 'content-disposition': ['attachment'] };
}
