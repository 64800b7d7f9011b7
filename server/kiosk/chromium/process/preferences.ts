import { isDeepStrictEqual } from 'node:util';
import type { BrowserOrigins } from '../../../platform/kioskJobs.ts';

/** A preference or a group of them, as in Chromium's file. */
type Preferences = { [name: string]: boolean | number | string | readonly string[] | Preferences };

/** What the preferences allow to single origins. */
export interface OriginPreferences extends BrowserOrigins {
  /** They count as secure although they are reached by http. */
  readonly secureOrigins: readonly string[];
}

/** CONTENT_SETTING_ALLOW and CONTENT_SETTING_BLOCK of Chromium's content_settings.mojom. */
const ALLOW = 1;
const BLOCK = 2;
/** kBlockThirdParty of Chromium's CookieControlsMode: Debian's default, and not that of others. */
const BLOCK_THIRD_PARTY = 1;

/**
 * Sets what managed policies would set, because a desk has no policies
 * (chrome/browser/policy/configuration_policy_handler_list_factory.cc names the preference of each). Measured with
 * Chromium 156.
 */
const PREFERENCES: Preferences = {
  // Any other scheme would ask whether to open a program ("Open xdg-open?"), or open one without asking (mailto:).
  policy: {
    url_blocklist: ['*'],
    url_allowlist: ['http://*', 'https://*', 'ws://*', 'wss://*', 'blob:*', 'data:*', 'about:*'],
  },
  browser: {
    // No title bar in bare windows.
    custom_chrome_frame: false,
    // The window of the last start, whose bars lay beyond the screen, would come back larger than the screen.
    window_placement: {},
  },
  profile: {
    // The device choosers.
    default_content_setting_values: {
      usb_guard: BLOCK,
      serial_guard: BLOCK,
      hid_guard: BLOCK,
      bluetooth_guard: BLOCK,
    },
    password_manager_leak_detection: false,
    cookie_controls_mode: BLOCK_THIRD_PARTY,
    content_settings: { exceptions: { cookies: {}, legacy_cookie_access: {} } },
  },
  // "Save password?", which can show the password.
  credentials_enable_service: false,
  credentials_enable_autosignin: false,
  credentials_enable_passkeys: false,
  autofill: { profile_enabled: false, credit_card_enabled: false },
  // The picker for screens and windows.
  hardware: { screen_capture_enabled: false },
  // The viewer has no way back to the page; without the viewer a PDF is a download, and downloads are refused.
  plugins: { always_open_pdf_externally: true },
  printing: { enabled: false },
  translate: { enabled: false },
  // A zoom by the keys that a page without a renderer leaves to the browser would stay for ever.
  partition: { per_host_zoom_levels: {} },
};

/**
 * Cookies of other sites in frames of these pages: any site's, below that page
 * (components/content_settings/core/browser/cookie_settings.cc). Devices in a house make their cookies without
 * `SameSite`, and over http they cannot do otherwise: the second entry lets those count as made for frames. It names no
 * page, but without the first a frame gets no cookies anyway.
 */
const cookiePreferences = (pages: readonly string[]): Preferences => {
  const allow = { setting: ALLOW };
  const cookies = Object.fromEntries(pages.map((page) => [`*,${withPort(page)}`, allow]));
  const legacy_cookie_access = pages.length === 0 ? {} : { '*,*': allow };
  return { profile: { content_settings: { exceptions: { cookies, legacy_cookie_access } } } };
};

/** Without a port a pattern would mean each of them. */
function withPort(origin: string): string {
  const { protocol, port } = new URL(origin);
  return port === '' ? `${origin}:${protocol === 'https:' ? 443 : 80}` : origin;
}

/**
 * Preferences of the browser as a whole. It takes no HTTP authentication, so that a page or picture that wants a login is
 * answered with its 401: for scripts and pictures Chromium asks only the person at the glass.
 */
const browserPreferences = ({
  loginOrigins,
  secureOrigins,
}: Omit<OriginPreferences, 'cookieOrigins'>): Preferences => ({
  auth: { schemes: '', http_auth_allowed_for_origins: loginOrigins },
  // As the switch of the same name, of which the browser would warn in a bar over the page.
  unsafely_treat_insecure_origin_as_secure: secureOrigins.join(','),
});

/** The files of preferences, from the profile folder. */
export const FILES = ['Default/Preferences', 'Local State'] as const;

/**
 * Puts our preferences among those of a profile; others stay.
 * @param before the text of each file; missing where there is none
 * @returns the files that have to be written
 */
export function changedFiles(
  before: readonly string[],
  origins: OriginPreferences,
): { readonly file: string; readonly text: string }[] {
  const ours = [[PREFERENCES, cookiePreferences(origins.cookieOrigins)], [browserPreferences(origins)]];
  return FILES.flatMap((file, at) => {
    const text = before[at];
    const old = text === undefined ? undefined : parsed(text);
    const wanted = ours[at]!.reduce(merged, old ?? {});
    return isDeepStrictEqual(wanted, old) ? [] : [{ file, text: JSON.stringify(wanted) }];
  });
}

/** A file that a crash left half written counts as missing; Chromium does the same. */
function parsed(text: string): Preferences {
  try {
    const value: unknown = JSON.parse(text);
    return isGroup(value) ? value : {};
  } catch {
    return {};
  }
}

function merged(old: Preferences, ours: Preferences): Preferences {
  const all: Preferences = { ...old };
  for (const [name, value] of Object.entries(ours)) {
    const before = all[name];
    all[name] =
      isGroup(value) && isGroup(before) && Object.keys(value).length > 0 ? merged(before, value) : value;
  }
  return all;
}

function isGroup(value: unknown): value is Preferences {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
