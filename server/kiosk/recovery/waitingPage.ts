import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  /** The next try comes by then, in milliseconds. */
  readonly withinMs?: number;
}

/**
 * The page that replaces one that cannot be shown: what is waited for and why, and how to reach the panel. All texts
 * are shown as they are. The QR code contains the bare address: a person who scans it still has to sign in.
 */
export function waitingPage({ place, reason, panel, withinMs }: Waiting): string {
  const texts = waitingTexts[panel.language] ?? waitingTexts.en!;
  const why = typeof reason === 'string' ? texts.reasons[reason] : reason.sentence;
  const again =
    withinMs === undefined ? texts.again : texts.within.replace('{time}', timeOf(withinMs, panel.language));
  const { name, manageUrl } = panel;
  const html = `<!doctype html><html lang="${escapeHtml(panel.language)}"><meta charset="utf-8"><title>Waiting</title>
<style>${fontFace()}${STYLE}</style>
<main>${MARK}<h1>${escapeHtml(texts.waitingFor.replace('{place}', place)).replaceAll(/(?<!http|https):(?=\d+)/g, '<wbr>:')}</h1><p>${withBreaks(escapeHtml(why))}</p>${panel.isBehindPortal ? `<p>${escapeHtml(texts.portal)}</p>` : ''}<p class="quiet">${escapeHtml(again)}</main>
<footer><div><strong>${escapeHtml(name)}</strong><p class="quiet call">${escapeHtml(texts.settings)}${
    manageUrl === null
      ? ''
      : `<p class="quiet">${escapeHtml(texts.manage)}<p class="address">${escapeHtml(manageUrl)}`
  }</div>${manageUrl === null ? '' : qrSvg(manageUrl)}</footer>`;
  return `data:text/html,${encodeURIComponent(html)}`;
}

/** The mark of the panel: a faceplate with its light. */
const MARK =
  '<svg class="mark" viewBox="0 0 48 48" aria-hidden="true"><rect x="7" y="7" width="34" height="34" rx="9" fill="none" stroke="var(--accent)" stroke-width="4"/><circle cx="24" cy="24" r="6" fill="var(--warm)"/></svg>';

/** The colours of all our own pages. */
const TOKENS = readFileSync(join(import.meta.dirname, '../../pages/glass/look/tokens.css'), 'utf8')
  .replaceAll(/\/\*.*?\*\//gs, '')
  .replaceAll(/\s+/g, ' ');

/** The typeface of our own pages, within the page: it has no server. Read when a page is missing for the first time, 65 kB. */
let font: string | undefined;
function fontFace(): string {
  const file = join(import.meta.dirname, '../../../renderer-demo/inter.woff2');
  font ??= `@font-face{font-family:"Inter Variable";font-weight:100 900;src:url(data:font/woff2;base64,${readFileSync(file, 'base64')})}`;
  return font;
}

const STYLE = `${TOKENS}:root{color-scheme:dark}*{box-sizing:border-box}body{margin:0;height:100vh;display:grid;grid-template-rows:1fr auto;background:var(--page);color:var(--text);font:clamp(18px,3vmin,26px)/1.4 var(--font)}
main{display:grid;place-content:center;justify-items:center;text-align:center;padding:4vmin;gap:.5em;overflow-wrap:anywhere}
h1{margin:.3em 0 0;font-size:1.4em;font-weight:var(--weight-title);line-height:1.25}p{margin:0}.quiet{color:var(--muted);font-size:max(.75em,16px)}.address{font-size:max(.8em,16px)}
.mark{width:min(18vmin,96px)}
footer{display:flex;gap:1.2em;align-items:end;justify-content:space-between;padding:3vmin 4vmin;border-top:1px solid var(--line);overflow-wrap:anywhere}
footer svg{width:clamp(96px,20vmin,200px);height:auto;flex:none;border-radius:var(--radius-control)}
@media (max-height:520px){body{line-height:1.3}main{gap:.25em;padding:2vmin 4vmin}.mark{width:56px}h1{font-size:1.2em}footer{padding:2vmin 4vmin}.call{display:none}}`;

/** A length of time in words. */
function timeOf(ms: number, language: string): string {
  const [count, unit] = ms < 60_000 ? [Math.ceil(ms / 1_000), 'second'] : [Math.ceil(ms / 60_000), 'minute'];
  const known = language in waitingTexts ? language : 'en';
  return new Intl.NumberFormat(known, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

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
  /** `{time}` is replaced, as by `15 seconds`. */
  readonly within: string;
  /** How the settings are opened. */
  readonly settings: string;
  readonly manage: string;
}

const en: WaitingTexts = {
  waitingFor: 'Waiting for {place}',
  reasons: {
    refused: 'The server answers, but not on this port. Its program may be off.',
    silent: 'The server does not answer.',
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
  within: 'Next try in at most {time}.',
  settings: 'Settings: hold five fingers on the screen for five seconds.',
  manage: 'To manage this panel from a phone, scan the code or open:',
};

const de: WaitingTexts = {
  waitingFor: 'Warten auf {place}',
  reasons: {
    refused: 'Der Server antwortet, aber nicht auf diesem Port. Sein Programm ist vielleicht aus.',
    silent: 'Der Server antwortet nicht.',
    'no-network': 'Dieses Panel hat kein Netzwerk.',
    'no-name': 'Der Name des Servers ist nicht zu finden.',
    unreachable: 'Der Server der Seite ist nicht erreichbar.',
    failing: 'Der Server der Seite ist nicht bereit.',
    missing: 'Unter dieser Adresse gibt es keine Seite.',
    refusing: 'Der Server der Seite antwortet mit einem Fehler.',
    broken: 'Die Seite startet nicht: Eine ihrer Dateien fehlt oder hat einen Fehler.',
  },
  portal: 'Dieses Netz verlangt eine Anmeldung im Browser, bevor es das Panel hinauslässt.',
  again: 'Es wird automatisch weiter versucht.',
  within: 'Nächster Versuch in höchstens {time}.',
  settings: 'Einstellungen: fünf Finger fünf Sekunden lang auf den Bildschirm legen.',
  manage: 'Um dieses Panel vom Telefon aus zu verwalten, den Code scannen oder öffnen:',
};

const es: WaitingTexts = {
  waitingFor: 'Esperando a {place}',
  reasons: {
    refused: 'El servidor responde, pero no en este puerto. Quizá su programa esté apagado.',
    silent: 'El servidor no responde.',
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
  within: 'Próximo intento en {time} como máximo.',
  settings: 'Ajustes: mantenga cinco dedos en la pantalla cinco segundos.',
  manage: 'Para gestionar este panel desde un teléfono, escanee el código o abra:',
};

/** What the waiting page says, by language. */
export const waitingTexts: Readonly<Record<string, WaitingTexts>> = { en, de, es };
