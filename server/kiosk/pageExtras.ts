import type { Settings } from '../config/settings.ts';

/** What the settings give to the pages of certain origins, as it is now. */
export interface PageExtras {
  /** Logins of servers that ask for one. */
  logins(): Settings['kiosk.logins'];
  /** Styles and scripts that pages get before their own. */
  inject(): Settings['kiosk.inject'];
  /** A text about the page, without the queries that settings gave to its address: for whoever reads log and console. */
  readable?(text: string): string;
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
