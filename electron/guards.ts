import { X509Certificate } from 'node:crypto';
import type {
  App,
  Certificate,
  Event,
  LoadURLOptions,
  OnHeadersReceivedListenerDetails,
  PostBody,
  Session,
  WebContents,
} from 'electron';
import { frameScript } from '../server/kiosk/chromium/guards/pageScript.ts';
import { isOldElectron, type SendTo } from '../server/kiosk/chromium/live/target.ts';
import type { HostCertificates, HostPolicy } from '../server/kiosk/host.ts';
import { placeOf, serverOf } from '../server/kiosk/navigationPolicy.ts';
import { granted } from '../server/kiosk/permissions.ts';
import type { Refusals } from '../server/kiosk/recovery/pageEntries.ts';
import { judgeAnswer } from '../server/kiosk/recovery/pageUnreachable.ts';
import type { Logger } from '../server/platform/log.ts';

/** The same table as in Chromium; nothing else is granted. */
const GRANTED = new Set(granted('electron'));

/** Where the refusals of each locked session are reported: it is locked again whenever one of our pages opens in it. */
const told = new WeakMap<Session, Refusals>();

/** Chromium's name for a request that was cancelled by what heard its headers. */
export const REFUSED_ANSWER = 'ERR_BLOCKED_BY_CLIENT';

/** Status of the last answer for the document of a page, where it is an error that is no page. */
const errors = new WeakMap<WebContents, number>();

/** The status of the last answer for a page's document, where that is an error that is no page; else undefined. */
export const errorOf = (page: WebContents): number | undefined => errors.get(page);

/**
 * Keeps the error page of a server that is not up yet from the screen, and an error that is no page: the load fails with
 * `REFUSED_ANSWER`. A question for a login is answered after this, and `errorOf` tells of one that was refused.
 */
function isRefused(details: OnHeadersReceivedListenerDetails): boolean {
  const { resourceType, statusCode, responseHeaders = {}, webContents } = details;
  if (resourceType !== 'mainFrame') return false;
  const answer = judgeAnswer(
    statusCode,
    (wanted) => Object.entries(responseHeaders).find(([name]) => name.toLowerCase() === wanted)?.[1][0],
  );
  if (webContents !== undefined && answer === 'error') errors.set(webContents, statusCode);
  else if (webContents !== undefined) errors.delete(webContents);
  return answer !== 'page' && statusCode !== 401;
}

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
    (details, answer) => {
      const { responseHeaders = {} } = details;
      if (isRefused(details)) answer({ cancel: true });
      else answer(isPdf(responseHeaders) ? { responseHeaders: asFile(responseHeaders) } : {});
    },
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

/**
 * Keeps each frame tree, also every new one, at allowed addresses and from opening windows. What a page wants to open
 * in a new window opens in its own. No page keeps its window.
 * @param allows whether its top frame may show this address
 */
export function guardContents(
  contents: WebContents,
  allows: (url: string) => boolean,
  refusals: Refusals,
): void {
  const judge = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    if (!event.isMainFrame || allows(event.url)) return;
    event.preventDefault();
    refusals.tell('navigation refused', { to: placeOf(event.url) });
  };
  contents.on('will-frame-navigate', judge);
  contents.on('will-redirect', judge);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  // A page must not delay its own leaving.
  contents.on('will-prevent-unload', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url, referrer, postBody }) => {
    refusals.tell('window refused', { to: placeOf(url) });
    if (allows(url))
      // The window reports a page that cannot be loaded.
      contents.loadURL(url, { httpReferrer: referrer, ...posted(postBody) }).catch(() => {});
    return { action: 'deny' };
  });
}

/** The form that the new window should have sent. */
function posted(body: PostBody | undefined): LoadURLOptions {
  if (!body) return {};
  const { contentType, boundary, data } = body;
  const type = boundary === undefined ? contentType : `${contentType}; boundary=${boundary}`;
  return { postData: data, extraHeaders: `Content-Type: ${type}` };
}

/**
 * The guards of frames that get no preload script, as those of a page's own process before Electron 35 (see
 * `isOldElectron`). What they refuse there is not reported, and a page that asks a person something gets the answer no.
 */
export async function guardFrames(send: SendTo): Promise<void> {
  if (!isOldElectron) return;
  const source = `if (window !== window.top) {\n${frameScript()}}`;
  await send('Page.addScriptToEvaluateOnNewDocument', { source });
}

interface JudgeOptions {
  readonly app: App;
  readonly session: Session;
  readonly certificates: HostCertificates;
  readonly log: Logger;
}

/**
 * Lets Chromium decide about certificates it trusts, and the pinned certificates about all others: for each connection,
 * with its port. (`setCertificateVerifyProc` hears no port, and its answers are cached until the program ends.)
 * @returns the function that ends it
 */
export function judgeCertificates({ app, session, certificates, log }: JudgeOptions): () => void {
  const judge = async (url: string, error: string, { data }: Certificate): Promise<boolean> => {
    const server = serverOf(url);
    const shown = new X509Certificate(data);
    await certificates.vouch?.(server);
    return certificates.judgeShown(server, shown, error.replace(/^net::/, '')) === 'trusted';
  };
  const onError = (
    event: Pick<Event, 'preventDefault'>,
    _page: WebContents,
    url: string,
    error: string,
    certificate: Certificate,
    answer: (isTrusted: boolean) => void,
  ) => {
    event.preventDefault();
    judge(url, error, certificate).then(answer, (reason: unknown) => {
      log.warn({ err: reason }, 'certificates: refused');
      answer(false);
    });
  };
  app.on('certificate-error', onError);
  // An open connection would go on as if nothing had happened.
  const endForgotten = certificates.onForgotten?.(() => void session.closeAllConnections());
  return () => {
    app.off('certificate-error', onError);
    endForgotten?.();
  };
}

/**
 * Shows a server that asks for the client's certificate none: Electron would take the first one of the store, which
 * belongs to the installer and not to the page. The Chromium host shows none either.
 * @returns the function that ends it
 */
export function refuseClientCertificates(app: App, refusals: Refusals): () => void {
  const refuse = (
    event: Event,
    _page: WebContents | null,
    url: string,
    _list: Certificate[],
    answer: (certificate?: Certificate) => void,
  ) => {
    event.preventDefault();
    refusals.tell('client certificate refused', { to: placeOf(url) });
    answer();
  };
  app.on('select-client-certificate', refuse);
  return () => void app.off('select-client-certificate', refuse);
}
