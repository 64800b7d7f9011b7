import type { Settings } from '../config/settings.ts';

/** What the settings give to the pages of certain origins, as it is now. */
export interface PageExtras {
  /** Logins of servers that ask for one. */
  logins(): Settings['kiosk.logins'];
  /** The pages in whose frames other sites keep their cookies; none if it is missing. */
  cookieOrigins?(): CookieOrigins;
  /** Styles and scripts that pages get before their own. */
  inject(): Settings['kiosk.inject'];
  /** A text about the page, without the queries that settings gave to its address: for readers of log and console. */
  readable?(text: string): string;
}

/** The browser learns them at its start. */
export interface CookieOrigins {
  readonly all: readonly string[];
  /** Those that somebody has listed one by one: a new one is worth a start of the browser. */
  readonly listed: readonly string[];
}

/** Origins of `kiosk.thirdPartyCookies`, where `auto` stands for those of the pages that the settings choose. */
export function cookieOrigins(settings: Settings): CookieOrigins {
  const chosen = [settings['kiosk.url'], ...settings['kiosk.pages'].map(({ url }) => url)]
    .filter((url) => url !== '')
    .map((url) => new URL(url).origin);
  const entries = settings['kiosk.thirdPartyCookies'];
  const listed = entries.filter((entry) => entry !== 'auto');
  return { all: [...new Set(entries.includes('auto') ? [...listed, ...chosen] : listed)], listed };
}

/** For a kiosk without such settings. */
export const noExtras: PageExtras = { logins: () => [], inject: () => [] };

/**
 * A script for every frame: it gives pages of the listed origins their styles and scripts, in the page's own world. The
 * settings have checked that each script is the body of a function.
 */
export function injectedScript(entries: Settings['kiosk.inject']): string {
  return entries
    .map(({ origin, css, js }) => {
      const style = css === undefined ? '' : `(${addStyle.toString()})(${JSON.stringify(css)});`;
      const script = js === undefined ? '' : `(function () {\n${js}\n}).call(window);`;
      return `if (location.origin === ${JSON.stringify(origin)}) try { ${style} ${script} } catch (error) { reportError(error); }\n`;
    })
    .join('');
}

/** Copied into the page. A constructed sheet is no element that the page could remove, and no matter of its CSP. */
function addStyle(css: string): void {
  const page = globalThis as unknown as {
    CSSStyleSheet: new () => { replaceSync(text: string): void };
    document: { adoptedStyleSheets: unknown[] };
  };
  const sheet = new page.CSSStyleSheet();
  sheet.replaceSync(css);
  page.document.adoptedStyleSheets = [...page.document.adoptedStyleSheets, sheet];
}

/** A request to a server that has a login in the settings, as the host sees it. */
export interface LoginRequest {
  readonly method: string;
  /** Its header `Origin`, which a page cannot choose (Fetch, section 3.2); undefined without one. */
  readonly from: string | undefined;
  /** Whether it is for a document, of a frame or of the whole page. */
  readonly isDocument: boolean;
  /**
   * Origins of the documents that it comes from, up to the top page. For the document of a frame they begin with the
   * document around the frame; for that of the whole page there are none.
   */
  readonly documents: readonly string[];
}

/**
 * Whether a request may carry a login of `kiosk.logins`: the top page is one that the settings chose, or of the login's
 * own site; and the request does not come from another site. Only the document of a frame may be asked for across
 * sites, by reading, as the pages around it chose to show it.
 *
 * @param login origin that the login is for
 * @param chosen origins of the pages that the settings chose
 */
export function mayHaveLogin(login: string, request: LoginRequest, chosen: readonly string[]): boolean {
  const isOwn = (origin: string) => isSameSite(login, origin);
  const { documents, isDocument, method, from } = request;
  const isTrusted = (origin: string) => isOwn(origin) || chosen.includes(origin);
  // Where the whole page may go is judged before (navigationPolicy.ts).
  if (documents.length === 0) return isDocument && (from === undefined || isTrusted(from));
  if (!documents.every(isTrusted)) return false;
  if (!/^(GET|HEAD)$/.test(method)) return from !== undefined && isOwn(from);
  return isDocument || isOwn(documents[0]!);
}

/** A site here: scheme and host. Without a list of public suffixes, the owner of a domain's hosts is unknown. */
function isSameSite(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  return a.protocol === b.protocol && a.hostname === b.hostname;
}

/** The header `Authorization` of a login (RFC 7617 section 2), in UTF-8. */
export function basicLogin({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The origin of an address; empty for what is none. */
export function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : '';
}
