/**
 * What an installer may add to the browser's command line (`kiosk.browserArguments`): switches for graphics, sound and
 * input of a board. Everything that opens the wall is refused, by name and by the words that such switches are named
 * with; a new switch of a later Chromium is then refused rather too often than too seldom.
 * Names: Chromium's `*switches.cc`, and the start script of the Debian package.
 */

/** Most switches, and the longest one. */
export const BROWSER_ARGUMENTS = 32;
export const BROWSER_ARGUMENT_CHARACTERS = 300;

/** Switches whose values are lists: ours and the installer's stand beside each other. */
export const LIST_SWITCHES: readonly string[] = [
  'enable-features',
  'disable-features',
  'enable-blink-features',
  'disable-blink-features',
  'blink-settings',
];

/** Switches that Faceplate sets itself, or that would change what it steers. */
const OWN = new Set([
  ...[
    'kiosk',
    'app',
    'class',
    'name',
    'type',
    'display',
    'headless',
    'incognito',
    'guest',
    'bwsi',
    'version',
  ],
  ...[
    'help',
    'product-version',
    'screen-info',
    'user-agent',
    'hide-scrollbars',
    'autoplay-policy',
    'log-file',
  ],
  ...['password-store', 'deny-permission-prompts', 'noerrdialogs', 'overscroll-history-navigation'],
  ...['disable-pinch', 'enable-pinch', 'start-fullscreen', 'start-maximized', 'temp-profile', 'debug'],
  ...['single-process', 'in-process-gpu', 'process-per-site', 'process-per-tab', 'no-startup-window'],
  ...['js-flags', 'no-first-run'],
]);

/** Words of switches that weaken a wall. */
const REFUSED: readonly RegExp[] = [
  // The sandbox and the programs around it.
  /sandbox|zygote|seccomp|setuid|-launcher$|cmd-prefix$|appcontainer|lockdown/,
  // Between sites.
  /web-security|site-isolation|site-per-process|isolat|origin|cors|csp|xss|mixed-content|same-site|referrer-policy/,
  /^allow-|^unsafely|unsafe|insecure|reduce-security|privileged|universal-access|file-access|from-files/,
  // Steering from outside, and what developers and robots use.
  /^remote-|debug|devtools|automation|inspect|^test-|^trace|-trace|fake|mock|simulate|for-testing|for-tests?$/,
  /^dump-|^print-to|screenshot|^repl$|virtual-time|^auto-|net-log|^record|^replay|web-platform-features|blink-test/,
  // Programs that it starts, files that it writes, and what it offers to pages of tests.
  /subprocess|startup-dialog|diagnostics|singleton|^log-|-log$|^run-|web-tests|layout-test|benchmarking/,
  /bindings|stats-collection|harness|telemetry|upload|metrics|memlog|heap-prof|widevine|cdm|font-files/,
  /allowed|allowlist|whitelist|encrypt|widget-layer|wait-for|^expose-|internals|-path$|-dir$|-file$|-folder$/,
  // Profiles, windows and programs beside the page.
  /user-data|(?<!color-)profile|data-dir|cache-dir|dump-location|homedir|extension|^load-|^app-|^apps-|^kiosk-|^force-app/,
  /^window-|^new-window|^make-default|^install|^uninstall|^restore|^silent|pack-|plugin|pepper|ppapi|nacl|^register-/,
  /component|update|policy|policies|enterprise|device-management|account|signin|(?:^|-)sync(?:-|$)|login|crash|^flag-switches/,
  // Trust in servers.
  /^ignore-(?!gpu-blocklist$)|certificate|cert-|ssl|tls|hsts|quic|http2|key-pinning|transparency|oauth/,
  /host-rules|host-resolver|resolver|dns|-url$|-server$|-endpoint$|proxy|pac-/,
  // What would undo the lists above, and what the parts of the browser say to each other.
  /fieldtrial|field-trial|variations|mojo|^ipc|-ipc|^child|utility|service-runner|origin-trial/,
  // Dialogs, choosers, permissions and capture.
  /permission|^use-file|usermedia|capture|popup|prompt|infobar|first-run|speech|bluetooth|usb|serial|hid(?:-|$)|nfc/,
  /print|download|translate|autofill|password|payment|webauthn|cast|media-router|hang-monitor|ipc-flooding/,
];

/** Words of features and settings that guard the page: none of them may be switched off, and none of `OPENING` on. */
const GUARDING =
  /sandbox|isolat|siteper|origin|corb|cors|orb$|csp|xss|mixed|secur|permission|cert|hsts|https|tls|password|network|access|block|partition|lockdown|backup/i;
const OPENING =
  /mojo|access|unsafe|insecure|filesystem|directsockets|isolated|installer|install|extension|documentpicture|eyedropper|fedcm|pictureinpicture|fullscreen|mediarouter|translate|prerender|backforward|printing|bluetooth|usb|serial|hid|captur|window|popup|autofill|password|sync|optimization|automation|kiosk|devtools|test|websecurity|scripts|clipboard|controlledframe|smartcard|prompt|otp/i;

/** Why a switch is not taken, as a sentence; undefined when it is. */
export function whyRefusedArgument(argument: string): string | undefined {
  if (argument.length > BROWSER_ARGUMENT_CHARACTERS)
    return `a switch has at most ${BROWSER_ARGUMENT_CHARACTERS} characters`;
  const match = /^--([a-z][a-z0-9-]*)(?:=([ -~]*))?$/.exec(argument);
  if (match === null)
    return `${quoted(argument)} is no switch such as --name or --name=value, in lower case and ASCII`;
  const [, name = '', value] = match;
  if (LIST_SWITCHES.includes(name)) return whyRefusedList(name, value ?? '');
  if (OWN.has(name)) return `--${name} is set by Faceplate itself`;
  if (REFUSED.some((words) => words.test(name))) return `--${name} would weaken the wall or leave it`;
  return undefined;
}

function whyRefusedList(name: string, value: string): string | undefined {
  const parts = value.split(',');
  if (!parts.every((part) => /^[A-Za-z][\w-]*(?:[<:=][\w.<:/=-]*)?$/.test(part)))
    return `--${name} needs names with commas between them`;
  const words = name.startsWith('disable') ? GUARDING : OPENING;
  const bad = parts.find((part) => words.test(part) || (name === 'blink-settings' && GUARDING.test(part)));
  return bad === undefined ? undefined : `--${name}=${quoted(bad)} would weaken the wall or leave it`;
}

/** Puts our switches and the installer's together; each list switch comes once, with all its values. */
export function joinedArguments(ours: readonly string[], further: readonly string[]): string[] {
  const lists = new Map<string, string[]>();
  const plain: string[] = [];
  for (const argument of [...ours, ...further]) {
    const at = argument.indexOf('=');
    const name = argument.slice(2, at < 0 ? undefined : at);
    if (argument.startsWith('--') && at > 0 && LIST_SWITCHES.includes(name))
      lists.set(name, [...(lists.get(name) ?? []), argument.slice(at + 1)]);
    else plain.push(argument);
  }
  const joined = [...lists].map(([name, values]) => `--${name}=${values.join(',')}`);
  // What is no switch, the first page, comes last.
  return [
    ...plain.filter((argument) => argument.startsWith('--')),
    ...joined,
    ...plain.filter((argument) => !argument.startsWith('--')),
  ];
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
