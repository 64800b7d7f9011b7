import { qrSvg } from '../qrCode.ts';

/** What the waiting page says about the panel itself. */
export interface PanelOnScreen {
  readonly name: string;
  /** Code of the language, such as `de`. */
  readonly language: string;
  /** Address of `/manage/` on the network; null where no other machine can reach it. */
  readonly manageUrl: string | null;
  /** Whether its network wants a login in a browser before it lets anything out. */
  readonly isBehindPortal?: boolean;
}

interface Waiting {
  /** Origin of the page that is waited for. */
  readonly place: string;
  /** A known reason, or a sentence that is shown as it is. */
  readonly reason: OutageReason | { readonly sentence: string };
  readonly panel: PanelOnScreen;
}

/**
 * The page that replaces one that cannot be shown: what is waited for and why, and how to reach the panel. All texts
 * are shown as they are. The QR code contains the bare address: a person who scans it still has to sign in.
 */
export function waitingPage({ place, reason, panel }: Waiting): string {
  const texts = waitingTexts[panel.language] ?? waitingTexts.en!;
  const why = typeof reason === 'string' ? texts.reasons[reason] : reason.sentence;
  const html = `<!doctype html><html lang="${escapeHtml(panel.language)}"><meta charset="utf-8"><title>Waiting</title>
<style>${STYLE}</style>
<main><h1>${escapeHtml(texts.waitingFor.replace('{place}', place))}</h1><p>${withBreaks(escapeHtml(why))}${panel.isBehindPortal ? `<p>${escapeHtml(texts.portal)}` : ''}<p class="quiet">${escapeHtml(texts.again)}</main>
<footer>${panel.manageUrl === null ? '' : qrSvg(panel.manageUrl)}<div><strong>${escapeHtml(panel.name)}</strong>${
    panel.manageUrl === null
      ? ''
      : `<p>${escapeHtml(panel.manageUrl)}<p class="quiet">${escapeHtml(texts.manage)}`
  }</div></footer>`;
  return `data:text/html,${encodeURIComponent(html)}`;
}

const STYLE = `body{margin:0;min-height:100vh;display:grid;grid-template-rows:1fr auto;background:#111;color:#ddd;font:24px/1.35 sans-serif}
main{display:grid;place-content:center;text-align:center;padding:4vmin;overflow-wrap:anywhere}
h1{margin:0;font-size:32px;font-weight:500}p{margin:.4em 0 0}.quiet{color:#999;font-size:.8em}
footer{display:flex;gap:24px;align-items:center;justify-content:center;padding:4vmin;overflow-wrap:anywhere}
svg{width:132px;height:132px;flex:none;border-radius:8px}footer p{margin:.15em 0 0}`;

/** A fingerprint is longer than a narrow screen: it breaks between its pairs, not inside one. */
function withBreaks(html: string): string {
  return html.replace(/\b[0-9A-F]{2}:(?=[0-9A-F]{2}\b)/gi, '$&<wbr>');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Why the server of the page cannot be reached; it can where it is `broken` (the page does not start), `missing` (it has no
 * such page) or `refusing` (it answers with another error).
 */
export type OutageReason =
  | 'refused'
  | 'silent'
  | 'no-network'
  | 'no-name'
  | 'unreachable'
  | 'failing'
  | 'missing'
  | 'refusing'
  | 'broken';

interface WaitingTexts {
  /** `{place}` is replaced by the origin of the page. */
  readonly waitingFor: string;
  readonly reasons: Readonly<Record<OutageReason, string>>;
  /** The network has a captive portal. */
  readonly portal: string;
  readonly again: string;
  readonly manage: string;
}

const en: WaitingTexts = {
  waitingFor: 'Waiting for {place}',
  reasons: {
    refused: 'The server of the page is not running.',
    silent: 'The server of the page does not answer.',
    'no-network': 'This panel has no network.',
    'no-name': 'The name of the server cannot be found.',
    unreachable: 'The server of the page cannot be reached.',
    failing: 'The server of the page is not ready.',
    missing: 'There is no page at this address.',
    refusing: 'The server of the page answers with an error.',
    broken: 'The page does not start: a file of it is missing or has an error.',
  },
  portal: 'This network wants a login in a browser before it lets the panel out.',
  again: 'Trying again automatically.',
  manage: 'To manage this panel, scan the code or open this address.',
};

const de: WaitingTexts = {
  waitingFor: 'Warten auf {place}',
  reasons: {
    refused: 'Der Server der Seite läuft nicht.',
    silent: 'Der Server der Seite antwortet nicht.',
    'no-network': 'Dieses Panel hat kein Netzwerk.',
    'no-name': 'Der Name des Servers ist nicht zu finden.',
    unreachable: 'Der Server der Seite ist nicht erreichbar.',
    failing: 'Der Server der Seite ist nicht bereit.',
    missing: 'Unter dieser Adresse gibt es keine Seite.',
    refusing: 'Der Server der Seite antwortet mit einem Fehler.',
    broken: 'Die Seite startet nicht: Eine ihrer Dateien fehlt oder hat einen Fehler.',
  },
  portal: 'Dieses Netz verlangt eine Anmeldung im Browser, bevor es das Panel hinauslässt.',
  again: 'Es wird von selbst weiter versucht.',
  manage: 'Um dieses Panel zu verwalten, den Code scannen oder diese Adresse öffnen.',
};

const es: WaitingTexts = {
  waitingFor: 'Esperando a {place}',
  reasons: {
    refused: 'El servidor de la página no está en marcha.',
    silent: 'El servidor de la página no responde.',
    'no-network': 'Este panel no tiene red.',
    'no-name': 'No se encuentra el nombre del servidor.',
    unreachable: 'No se puede acceder al servidor de la página.',
    failing: 'El servidor de la página no está listo.',
    missing: 'No hay ninguna página en esta dirección.',
    refusing: 'El servidor de la página responde con un error.',
    broken: 'La página no arranca: falta un archivo suyo o tiene un error.',
  },
  portal: 'Esta red exige iniciar sesión en un navegador antes de dejar salir al panel.',
  again: 'Se sigue intentando automáticamente.',
  manage: 'Para gestionar este panel, escanee el código o abra esta dirección.',
};

/** What the waiting page says, by language. */
export const waitingTexts: Readonly<Record<string, WaitingTexts>> = { en, de, es };
