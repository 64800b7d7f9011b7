import type { X509Certificate } from 'node:crypto';
import type { Settings } from '../config/settings.ts';
import type { Feed } from '../contract/command.ts';
import type { ContainerSpec } from '../contract/pageBridge.ts';
import type { GraphicsFacts, HostKind, recoveryCauses } from '../contract/system.ts';
import type { Rotation } from '../parts/display/contract.ts';
import type { Logger } from '../platform/log.ts';
import type { BuiltInPageName, LayerName } from './builtInPageContract.ts';
import type { BegunBrowser } from './chromium/process/browserRun.ts';
import type { ConsoleEntry, PageState } from './contract.ts';
import type { LiveInput } from './live/contract.ts';
import type { PageExtras } from './pageExtras.ts';
import type { PanelOnScreen } from './recovery/waitingPage.ts';
import type { KioskSession } from './session.ts';

/** How a picture of the screen is written: without loss, or small. */
export type PictureFormat = 'png' | 'jpeg';

/** A document that speaks through the bridge: one object per document. The host has checked its frame and origin. */
export interface PageCaller {
  readonly origin: string;
  /**
   * Sends a JSON string to this document; does nothing when the document is gone.
   * @returns where the host can tell, a promise for when the document has taken it; it never rejects
   */
  reply(json: string): void | Promise<void>;
}

/** What a host passes to the bridge. */
export interface BridgeSink {
  /** A JSON message of the kiosk page. */
  onMessage(caller: PageCaller, json: string): void;
  /** The document that held the bridge is gone (navigation, crash, window closed). */
  onPageGone(): void;
}

/** Who may hold the bridge and where the kiosk page may go. Asked on every use, so a change takes effect at once. */
export interface HostPolicy {
  bridgeOrigins(): readonly string[];
  /**
   * Whose top page gets camera and microphone, and what plain Chromium grants to every page. Without it: those that hold
   * the bridge.
   */
  mediaOrigins?(): readonly string[];
  /** Of all pages that the settings chose: their top pages may show frames with a login. Without it: those that hold the bridge. */
  chosenOrigins?(): readonly string[];
  /** Of the bridge's origins those of projects with joins: their pages get `JSInterface`. Without it: none. */
  joinOrigins?(): readonly string[];
  mayNavigate(url: URL): boolean;
  /**
   * Whether a page that has come may stay although the kiosk may no longer go there: it was asked for shortly before
   * another. Without it: no.
   */
  mayArrive?(url: URL): boolean;
}

/** A built-in page, in its own window beside the kiosk page. The window shows only the page's origin. */
export interface BuiltInPage {
  readonly name: BuiltInPageName;
  /** Its address, on its own origin. */
  readonly url: string;
  /**
   * Whether the page covers the kiosk page, full screen and with the input. Otherwise it is never shown but runs at
   * full speed, and the host loads it again after a crash and after a restart of the browser.
   */
  readonly visible: boolean;
  /** Whether it gets camera and microphone without a question. */
  readonly media: boolean;
  /** Gets what the page posts to `window.faceplateHost`: no frame and no other window can post there. */
  readonly sink: BridgeSink;
  /** Whether a frame in the page may go there; without it the page has no frames but of its own origin. */
  mayFrame?(url: URL): boolean;
  /** A visible page is gone without a request: it crashed, or its window or browser ended. */
  onGone?(): void;
}

/** An open built-in page. */
export interface OpenedPage {
  /** Closes the page; safe to call twice, also when it is already gone. */
  close(): Promise<void>;
}

/** A part of the screen, in pixels of the page on it, from its upper left corner. */
export interface ScreenArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A built-in page above the kiosk page, on a part of the screen or on all of it. It stays loaded, so that it
 * shows at once; all layers share one renderer. It comes back, hidden, after a crash and after a restart of the browser.
 */
export interface LayerPage {
  readonly name: LayerName;
  /** Its address, on its own origin. */
  readonly url: string;
  /** As `BuiltInPage.sink`. */
  readonly sink: BridgeSink;
  /** Whether a frame in the page may go there; without it the page has no frames but of its own origin. */
  mayFrame?(url: URL): boolean;
  /** Its document is there, at first and each time it came back: it knows nothing yet, and nothing of it is shown. */
  onReady(): void;
}

/** An open layer. The order from above: blank window, `keys`, `glass`, settings page, kiosk page. */
export interface Layer {
  /** Sends a JSON string to its document; does nothing while it has none. */
  post(json: string): void;
  /** A layer may leave the page its time before it opens: this opens it now. */
  hurry?(): void;
  /**
   * Shows it there, above every page, also above one that comes later; what is beside it stays usable.
   * @param focus whether the layer gets the keys; without it the page below keeps them
   */
  show(area: ScreenArea | 'screen', focus: boolean): Promise<void>;
  /** Hides it and keeps it ready; safe to call while it is hidden. The finger that is on it does not reach the page. */
  hide(): Promise<void>;
  close(): Promise<void>;
}

/** What is known of a field in which a person can write. Its text is not, whatever it is. */
export interface TextField {
  /** The input's type; `textarea`, or `editable` for other elements. */
  readonly type: string;
  /** Its attributes, empty where it has none. */
  readonly inputMode: string;
  readonly enterKeyHint: string;
}

/** Which field has the focus, in a page that the person at the panel sees. */
export interface FieldFocus {
  readonly field: TextField;
  /** What the person did just before, so that the field got the focus or was touched again; null: a script did it. */
  readonly by: 'touch' | 'other' | null;
}

/** A TLS server, as the browser names it. */
export interface TlsServer {
  readonly host: string;
  readonly port: number;
}

/** Decides about servers whose certificate the browser does not trust. */
export interface HostCertificates {
  /** Asks the server for its certificate, for a browser that does not pass it on. @param reason the browser's code */
  mayTrust(server: TlsServer, reason: string): Promise<boolean>;
  /** Asks a server whether an authority of the house vouches for it, which `judgeShown` knows then. */
  vouch?(server: TlsServer): Promise<boolean>;
  /** For a browser that passes on the certificate which a connection has shown. */
  judgeShown(
    server: TlsServer,
    certificate: X509Certificate,
    reason: string,
  ): 'trusted' | 'refused' | 'changed';
  /** Why a refused server is still refused, as a sentence; undefined when it was not refused, or is trusted by now. */
  whyRefused(server: TlsServer): Promise<string | undefined>;
  /** Calls back whenever a certificate was trusted. @returns the function that stops the calls */
  onTrusted(listener: () => void): () => void;
  /** Calls back whenever one is trusted no longer. @returns the function that stops the calls */
  onForgotten?(listener: () => void): () => void;
}

/** Who watches the kiosk page from afar. */
export interface LiveWatcher {
  /** @param size of the page, in its own pixels; the picture may be smaller */
  onPicture(jpeg: Uint8Array, size: PageSize): void;
}

export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** A running watch. */
export interface LiveWatch {
  /** Input for the page alone. It wakes a sleeping panel, whose page does not get it. */
  input(what: LiveInput): void;
  /** Ends the watch and lifts its finger; safe to call twice. */
  stop(): void;
}

/**
 * A full-screen browser window that shows the kiosk page. Implemented with Chromium's debugging pipe and with Electron.
 */
export interface KioskHost {
  readonly kind: HostKind;
  /**
   * Opens the window on `url`. Resolves when the page has begun to load, or when its window can only come later because
   * there is no screen yet.
   */
  start(sink: BridgeSink, url: string): Promise<void>;
  /** Closes the window and everything it started. Safe to call twice, and before `start`. */
  stop(): Promise<void>;
  /** Shows another page and remembers it, so that recovery returns to it. http and https only. */
  navigate(url: string): Promise<void>;
  reload(): Promise<void>;
  /**
   * Black over everything until `wake`, also after a restart of the browser. The page runs on below and gets no input.
   * @param onTouch called once, at the first touch, click or key, which never reaches the page
   */
  sleep(onTouch: () => void): Promise<void>;
  /** Shows the page again, once the finger that woke the panel is lifted. Does nothing when the panel is awake. */
  wake(): Promise<void>;
  /**
   * Puts the kiosk window above all others when a launched app has ended; during sleep it stays below the blank window.
   */
  bringToFront(): Promise<void>;
  /**
   * Opens a built-in page; each page once at a time. Open an unseen one before `start`: while something covers the
   * kiosk page there may be no place for it, and then it comes later.
   * @throws FaceplateError HARDWARE_ERROR or UNSUPPORTED_HARDWARE when no browser can show it now
   */
  openBuiltIn(page: BuiltInPage): Promise<OpenedPage>;
  /**
   * Opens a layer; each once. Resolves at once also while there is no browser: it opens with the next one.
   * @throws FaceplateError UNSUPPORTED_HARDWARE (no window)
   */
  openLayer(page: LayerPage): Promise<Layer>;
  /**
   * Presses and releases one key in the page whose field has the focus, whatever has the keys; nothing without a field.
   * @param key a character, or the name of a key (UI Events KeyboardEvent key values)
   */
  pressKey(key: string): Promise<void>;
  /**
   * Keeps the lowest pixels of the screen clear of what the page with the focused field shows, and brings that field into
   * view; the page keeps its focus meanwhile. 0 gives the pixels back.
   */
  makeRoom(height: number): Promise<void>;
  /** Size of the screen in pixels of the page on it, turned as the page is; the last one known while there is no browser. */
  screenSize(): PageSize;
  /**
   * The layout zoom of the kiosk page: of every page, frame and window that it has from now on.
   * @param factor 0.25 to 5
   * @throws FaceplateError UNSUPPORTED_HARDWARE (no window)
   */
  zoom(factor: number): Promise<void>;
  /**
   * The screen was turned, clockwise: the windows fill it anew. Without a screen the page itself is turned.
   * @param isTurned whether something has turned the screen
   * @returns whether the page is turned now
   */
  turn(rotation: Rotation, isTurned: boolean): Promise<boolean>;
  /** The kiosk page, also while a built-in page covers it; black during sleep. @param format PNG without it */
  screenshot(format?: PictureFormat): Promise<Uint8Array>;
  /**
   * Shows the kiosk page to a watcher, also below a built-in page and over restarts of the browser; black during sleep.
   * At most ten pictures a second, none while nothing changes, the last one always. One watch at a time.
   * @throws FaceplateError UNSUPPORTED_HARDWARE without a window
   */
  watch(watcher: LiveWatcher): LiveWatch;
  /**
   * Runs an expression in the page's top frame and awaits its value, at most 5 s.
   * @returns the value as JSON text
   * @throws FaceplateError INVALID_REQUEST (an exception, or no JSON), TOO_LARGE, PAGE_TIMEOUT, CONFLICT (the page left),
   * UNSUPPORTED_HARDWARE, HARDWARE_ERROR
   */
  evaluate(expression: string): Promise<string>;
  /**
   * Deletes the service workers and caches of an origin, never its local storage.
   * @throws when no browser can be asked now
   */
  clearCaches(origin: string): Promise<void>;
  /**
   * Deletes cookies and everything that an origin has stored.
   * @throws when no browser can be asked now
   */
  clearStorage(origin: string): Promise<void>;
  /** False once the host itself can no longer bring the page back and only a restart of the service may help. */
  isWell?(): boolean;
  /** Why no page is shown, in one sentence; undefined when no lasting problem prevents it. */
  whyNotShown?(): string | undefined;
  /**
   * Whether a person can see the window and touch it. Without it: as long as there is a window at all.
   */
  hasScreen?(): boolean;
  /** Memory of the browser with all its helpers, in bytes; undefined while there is none. */
  memory?(): Promise<number | undefined>;
  /** How the browser really draws; undefined while that is not known. */
  graphics?(): GraphicsFacts | undefined;
  /** How often the page was brought back, by cause. */
  recoveries(): Readonly<Partial<Record<RecoveryCause, number>>>;
  /** What the page does now. @throws FaceplateError UNSUPPORTED_HARDWARE (no window) */
  pageState(): PageState;
  /** What the page writes to its console. @throws FaceplateError UNSUPPORTED_HARDWARE (no window), CONFLICT */
  pageConsole(): Feed<ConsoleEntry>;
}

export type RecoveryCause = (typeof recoveryCauses)[number];

/** How the page stays running, from the current settings. */
export interface RecoverySettings {
  /** Whether a page that has content but shows nothing is brought back. */
  deadPageCheck(): boolean;
  /** How much memory the browser may use, in MiB; 0 = no limit. */
  memoryLimit(): number;
  /** Hour of the day, local time, in which a restart of the browser disturbs no one. */
  quietHour(): number;
  /** Whether the intercom has a call, or one rings. Without it: no. */
  isInCall?(): Promise<boolean>;
  /** What the waiting page says about the panel. */
  panel(): PanelOnScreen | Promise<PanelOnScreen>;
}

/** A question of the kiosk page or of a frame in it, which is blocked until it is answered. */
export interface PageDialog {
  readonly kind: 'alert' | 'confirm' | 'prompt';
  /** Of the document that asks. */
  readonly origin: string;
  readonly text: string;
  /** What a `prompt` proposes. */
  readonly value: string;
}

export interface DialogAnswer {
  readonly accepted: boolean;
  /** Of a `prompt`. */
  readonly value: string;
  /** Why no person was asked, for the console of the page. */
  readonly refused?: string;
}

/** What a host needs from the service whose page it shows. */
export interface HostDependencies {
  /** The values at the start of the service. */
  readonly settings: Settings;
  readonly recoverySettings: RecoverySettings;
  /** What the settings give to pages, as it is now. */
  readonly pageExtras: PageExtras;
  readonly policy: HostPolicy;
  readonly certificates: HostCertificates;
  readonly session: KioskSession;
  /** The browser, where it was started before the host. */
  readonly early?: BegunBrowser | undefined;
  readonly spec: ContainerSpec;
  readonly log: Logger;
  /** A person touched the screen or pressed a key while the panel was awake; at most once per second. */
  onActivity?(): void;
  /** A playing video with `data-keep-awake`, or a wake lock of the page; about once a second while it lasts. */
  onKeepAwake?(): void;
  /** The browser is running again after it was away: what needed a browser can be done now. */
  onBrowserBack?(): void;
  /** A person at the panel asks for the settings page: five fingers for five seconds, or Ctrl+Alt+S. */
  onSettingsCall?(): void;
  /** A field got the focus, or was touched again; undefined: none has it any more. */
  onField?(focus: FieldFocus | undefined): void;
  /** What the page does has changed. */
  onPageState?(state: PageState): void;
  /** The page has become `failed` or `blank`; at most 30 times a minute. */
  onPageTrouble?(state: PageState): void;
  /**
   * Answers a question of the page; without this it is cancelled at once. Never rejects.
   * @param gone aborts when the page has left, or needs no answer any more
   */
  onDialog?(dialog: PageDialog, gone: AbortSignal): Promise<DialogAnswer>;
  /** Prints one line to standard output, for the person or program that started the service. */
  print(line: string): void;
}
