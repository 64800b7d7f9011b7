/** Who gets a permission: the top frame of pages whose origins hold the bridge, or no page at all. */
type Holder = 'project' | 'nobody';

/** One thing that a page may ask the browser for. */
interface Permission {
  readonly holder: Holder;
  /** Names of the Chrome DevTools Protocol (Browser.PermissionType). */
  readonly chromium: readonly string[];
  /** Names of Electron's session.setPermissionRequestHandler. */
  readonly electron: readonly string[];
}

/**
 * Who may use what, in both hosts. The project gets camera and microphone, and what plain Chromium grants to every page
 * without a question. The panel never asks a person: what is not in this table, such as a permission of a later
 * Chromium, is refused at once.
 */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  camera: { holder: 'project', chromium: ['videoCapture'], electron: ['media'] },
  microphone: { holder: 'project', chromium: ['audioCapture'], electron: ['media'] },
  speakers: { holder: 'project', chromium: ['speakerSelection'], electron: ['speaker-selection'] },
  screenWakeLock: { holder: 'project', chromium: ['wakeLockScreen'], electron: ['screen-wake-lock'] },
  clipboardWrite: {
    holder: 'project',
    chromium: ['clipboardSanitizedWrite'],
    electron: ['clipboard-sanitized-write'],
  },
  lastingStorage: { holder: 'project', chromium: ['durableStorage'], electron: ['persistent-storage'] },
  localNetwork: {
    holder: 'project',
    chromium: ['localNetworkAccess', 'localNetwork', 'loopbackNetwork'],
    electron: ['local-network-access', 'local-network', 'loopback-network'],
  },
  backgroundSync: { holder: 'project', chromium: ['backgroundSync'], electron: ['background-sync'] },
  backgroundFetch: { holder: 'project', chromium: ['backgroundFetch'], electron: ['background-fetch'] },
  sensors: { holder: 'project', chromium: ['sensors'], electron: ['sensors'] },
  keyboardLock: { holder: 'project', chromium: ['keyboardLock'], electron: ['keyboardLock'] },
  // The window guard suppresses Chromium's notice of it; Electron has none.
  pointerLock: { holder: 'project', chromium: ['pointerLock'], electron: ['pointerLock'] },
  paymentHandler: { holder: 'project', chromium: ['paymentHandler'], electron: ['payment-handler'] },
  storageAccess: { holder: 'project', chromium: ['storageAccess'], electron: ['storage-access'] },
  // Chromium's notice cannot be suppressed there, so its full screen is switched off (commandLine.ts).
  fullScreen: { holder: 'project', chromium: [], electron: ['fullscreen'] },

  storageAccessOfTop: {
    holder: 'nobody',
    chromium: ['topLevelStorageAccess'],
    electron: ['top-level-storage-access'],
  },
  cameraMotion: { holder: 'nobody', chromium: ['cameraPanTiltZoom'], electron: [] },
  location: {
    holder: 'nobody',
    chromium: ['geolocation'],
    electron: ['geolocation', 'geolocation-approximate'],
  },
  notifications: { holder: 'nobody', chromium: ['notifications'], electron: ['notifications'] },
  midi: { holder: 'nobody', chromium: ['midi', 'midiSysex'], electron: ['midi', 'midiSysex'] },
  clipboardRead: {
    holder: 'nobody',
    chromium: ['clipboardReadWrite'],
    electron: ['clipboard-read', 'deprecated-sync-clipboard-read'],
  },
  // In Chromium, Bluetooth, USB, serial ports and HID have choosers, not permissions: profile.ts.
  devices: { holder: 'nobody', chromium: [], electron: ['usb', 'serial', 'hid'] },
  files: { holder: 'nobody', chromium: [], electron: ['fileSystem'] },
  otherPrograms: { holder: 'nobody', chromium: [], electron: ['openExternal'] },
  screenCapture: {
    holder: 'nobody',
    chromium: ['displayCapture', 'capturedSurfaceControl'],
    electron: ['display-capture', 'captured-surface-control'],
  },
  idleDetection: { holder: 'nobody', chromium: ['idleDetection'], electron: ['idle-detection'] },
  windowPlacement: { holder: 'nobody', chromium: ['windowManagement'], electron: ['window-management'] },
  automaticFullScreen: {
    holder: 'nobody',
    chromium: ['automaticFullscreen'],
    electron: ['automatic-fullscreen'],
  },
  localFonts: { holder: 'nobody', chromium: ['localFonts'], electron: ['local-fonts'] },
  periodicSync: {
    holder: 'nobody',
    chromium: ['periodicBackgroundSync'],
    electron: ['periodic-background-sync'],
  },
  protectedMedia: { holder: 'nobody', chromium: ['protectedMediaIdentifier'], electron: ['mediaKeySystem'] },
  nfc: { holder: 'nobody', chromium: ['nfc'], electron: ['nfc'] },
  smartCard: { holder: 'nobody', chromium: ['smartCard'], electron: ['smart-card'] },
  printing: { holder: 'nobody', chromium: ['webPrinting'], electron: ['web-printing'] },
  virtualReality: {
    holder: 'nobody',
    chromium: ['ar', 'vr', 'handTracking'],
    electron: ['ar', 'vr', 'hand-tracking'],
  },
  systemWakeLock: { holder: 'nobody', chromium: ['wakeLockSystem'], electron: ['system-wake-lock'] },
  installing: { holder: 'nobody', chromium: ['webAppInstallation'], electron: ['web-app-installation'] },
};

/** What a page of the project may use without a question, by the browser's names. */
export function granted(browser: 'chromium' | 'electron'): string[] {
  return Object.values(PERMISSIONS).flatMap((permission) =>
    permission.holder === 'project' ? permission[browser] : [],
  );
}
