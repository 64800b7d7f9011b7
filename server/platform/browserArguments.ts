/**
 * What an installer may add to the browser's command line (`kiosk.browserArguments`): the switches for graphics, sound
 * and input of a board that stand here, each with the values that it takes. None takes a path (but a render node), a
 * command, or a text that a library reads as a language: ALSA runs programs that a device's name holds.
 * Names: Chromium's `*switches.cc` and `*features.cc`. docs/kiosk.md lists them all.
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

/** Features of GPU, video, raster and Wayland: the only ones that can be switched. */
export const ALLOWED_FEATURES: readonly string[] = [
  'AcceleratedVideoDecodeLinuxGL',
  'AcceleratedVideoDecodeLinuxZeroCopyGL',
  'AcceleratedVideoDecoder',
  'AcceleratedVideoEncoder',
  'CanvasOopRasterization',
  'DefaultANGLEVulkan',
  'PlatformHEVCDecoderSupport',
  'RawDraw',
  'SkiaGraphite',
  'UseChromeOSDirectVideoDecoder',
  'UseMultiPlaneFormatForHardwareVideo',
  'VaapiIgnoreDriverChecks',
  'VaapiOnNvidiaGPUs',
  'VaapiVideoDecodeLinuxGL',
  'VaapiVideoDecoder',
  'VaapiVideoEncoder',
  'Vulkan',
  'VulkanFromANGLE',
  'WaylandFractionalScaleV1',
  'WaylandLinuxDrmSyncobj',
  'WaylandPerSurfaceScale',
  'WaylandTextInputV3',
  'WaylandUiScale',
];

const FEATURE = ALLOWED_FEATURES.join('|');
const features = new RegExp(`^(?:${FEATURE})(?:,(?:${FEATURE}))*$`);

/** Each switch with its values; null: it takes none. */
export const ALLOWED_SWITCHES: ReadonlyMap<string, RegExp | null> = new Map<string, RegExp | null>([
  ['alsa-output-device', /^(?:default|(?:plug)?hw:[\w,=]+)$/],
  ['blink-settings', /^minimumFontSize=\d{1,2}$/],
  ['canvas-oop-rasterization', null],
  ['disable-accelerated-video-decode', null],
  ['disable-dev-shm-usage', null],
  ['disable-features', features],
  ['disable-gpu', null],
  ['disable-gpu-compositing', null],
  ['disable-gpu-vsync', null],
  ['disable-software-rasterizer', null],
  ['enable-features', features],
  ['enable-gpu-rasterization', null],
  ['enable-native-gpu-memory-buffers', null],
  ['enable-wayland-ime', null],
  ['enable-zero-copy', null],
  ['force-color-profile', /^(?:srgb|display-p3-d65|scrgb-linear|hdr10)$/],
  ['force-device-scale-factor', /^\d(?:\.\d{1,3})?$/],
  ['high-dpi-support', /^[01]$/],
  ['ignore-gpu-blocklist', null],
  ['num-raster-threads', /^[1-9]$/],
  ['ozone-platform', /^(?:wayland|x11)$/],
  ['ozone-platform-hint', /^(?:auto|wayland|x11)$/],
  ['render-node-override', /^\/dev\/dri\/renderD\d{1,3}$/],
  ['renderer-process-limit', /^[1-9]\d?$/],
  ['touch-devices', /^\d{1,3}(?:,\d{1,3})*$/],
  ['touch-events', /^(?:auto|enabled|disabled)$/],
  ['use-angle', /^(?:default|gl|gl-egl|gles|gles-egl|swiftshader|vulkan)$/],
  ['use-cmd-decoder', /^(?:passthrough|validating)$/],
  ['use-gl', /^(?:angle|disabled|egl|egl-angle)$/],
]);

/** Why a switch is not taken, as a sentence; undefined when it is. */
export function whyRefusedArgument(argument: string): string | undefined {
  if (argument.length > BROWSER_ARGUMENT_CHARACTERS)
    return `a switch has at most ${BROWSER_ARGUMENT_CHARACTERS} characters`;
  const match = /^--([a-z][a-z0-9-]*)(?:=([ -~]*))?$/.exec(argument);
  if (match === null)
    return `${quoted(argument)} is no switch such as --name or --name=value, in lower case and ASCII`;
  const [, name = '', value] = match;
  const values = ALLOWED_SWITCHES.get(name);
  if (values === undefined)
    return `--${name} is none of the switches that may be added (docs/kiosk.md lists them)`;
  if (values === null) return value === undefined ? undefined : `--${name} takes no value`;
  if (value === undefined) return `--${name} needs a value`;
  return values.test(value) ? undefined : `--${name} does not take ${quoted(value)} (docs/kiosk.md)`;
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
  // Of the colour picker, which would take a colour from all that the screen shows.
  'EyeDropper',
  'MediaRouter',
  'OptimizationHints',
  'Prerender2',
  'Translate',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

/** What a browser is started with so that its pages behave as on a panel: the same in Chromium and in Electron. */
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
