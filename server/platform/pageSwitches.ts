/** What a browser is started with so that its pages behave as on a panel: the same in Chromium and in Electron. */

/**
 * Settings of Blink, Chromium's engine. The black windows (GTK_SETTINGS) would make pages believe that a dark theme is
 * wanted. Full screen shows a notice of the browser ("press Esc"), and a video beside the page opens its own window.
 */
const BLINK_SETTINGS = [
  'preferredColorScheme=1',
  'fullscreenSupported=false',
  'pictureInPictureEnabled=false',
];

/** What pages do not have, because it needs a window or dialog of the browser. */
const DISABLED_BLINK_FEATURES = [
  // Steered over a pipe, the browser would announce to every page that a robot controls it (`navigator.webdriver`).
  'AutomationControlled',
  'DocumentPictureInPictureAPI',
  'EyeDropperAPI',
  'FedCm',
];

/**
 * Features that would show a page outside the targets we watch, contact other servers without being asked, or keep a
 * process for the address bar, which no panel has.
 */
const DISABLED_FEATURES = [
  'AutofillServerCommunication',
  'BackForwardCache',
  'MediaRouter',
  'OptimizationHints',
  'Prerender2',
  'Translate',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

export const PAGE_SWITCHES: readonly string[] = [
  `--blink-settings=${BLINK_SETTINGS.join(',')}`,
  `--disable-blink-features=${DISABLED_BLINK_FEATURES.join(',')}`,
  '--deny-permission-prompts',
  '--password-store=basic',
  '--autoplay-policy=no-user-gesture-required',
  // The layers share one process, without knowing each other.
  '--process-per-site',
  '--overscroll-history-navigation=0',
  // A page below the blank window, or behind a launched app, runs on as if it were visible.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-pinch',
  '--disable-quic',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
];
