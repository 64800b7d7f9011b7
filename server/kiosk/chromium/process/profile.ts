import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { asUser } from '../../../platform/privileges.ts';
import type { KioskUser } from './kioskUser.ts';

/** A preference or a group of them, as in Chromium's file. */
type Preferences = { [name: string]: boolean | number | string | readonly string[] | Preferences };

/** What the preferences allow to single origins. */
interface OriginPreferences {
  /** They may ask for a login. */
  readonly loginOrigins: readonly string[];
  /** They count as secure although they are reached by http. */
  readonly secureOrigins: readonly string[];
}

/** CONTENT_SETTING_BLOCK of Chromium's content_settings.mojom. */
const BLOCK = 2;

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
 * Preferences of the browser as a whole. It takes no HTTP authentication, so that a page or picture that wants a login is
 * answered with its 401: for scripts and pictures Chromium asks nobody else but the person at the glass.
 */
const browserPreferences = ({ loginOrigins, secureOrigins }: OriginPreferences): Preferences => ({
  auth: { schemes: '', http_auth_allowed_for_origins: loginOrigins },
  // As the switch of the same name, of which the browser would warn in a bar over the page.
  unsafely_treat_insecure_origin_as_secure: secureOrigins.join(','),
});

/**
 * Puts our preferences into the profile of a browser that is not running; other preferences in it stay.
 */
export async function writePreferences(
  profileDir: string,
  user: KioskUser | undefined,
  origins: OriginPreferences,
): Promise<void> {
  await Promise.all([
    mergeInto(join(profileDir, 'Default', 'Preferences'), PREFERENCES, user),
    mergeInto(join(profileDir, 'Local State'), browserPreferences(origins), user),
  ]);
}

async function mergeInto(file: string, ours: Preferences, user: KioskUser | undefined): Promise<void> {
  const folder = dirname(file);
  const [old] = await Promise.all([
    (user === undefined ? readFile(file, 'utf8') : runAs(user, 'cat', ['--', file])).catch(() => '{}'),
    user === undefined
      ? mkdir(folder, { recursive: true, mode: 0o700 })
      : runAs(user, 'mkdir', ['-p', '-m', '0700', '--', folder]),
  ]);
  const text = JSON.stringify(merged(parsed(old), ours));
  // The user itself does this: we may have no access to its home, and a link that it planted leads only where it may
  // go.
  if (user === undefined) await writeFile(file, text, { mode: 0o600 });
  else await runAs(user, 'tee', ['--', file], text);
}

async function runAs(user: KioskUser, program: string, args: string[], input = ''): Promise<string> {
  const [command, ...words] = asUser(user, program, args);
  const running = promisify(execFile)(command!, words, { maxBuffer: 64 * 1024 * 1024 });
  // A program that stops reading shows it in its exit status.
  running.child.stdin?.on('error', () => {}).end(input);
  return (await running).stdout;
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
