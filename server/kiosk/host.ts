import type { X509Certificate } from 'node:crypto';
import type { Settings } from '../config/settings.ts';
import type { BuiltInPageName } from '../contract/builtInPage.ts';
import type { Feed } from '../contract/command.ts';
import type { LiveInput } from '../contract/live.ts';
import type { ConsoleEntry, PageState } from '../contract/page.ts';
import type { ContainerSpec } from '../contract/pageBridge.ts';
import type { HostKind } from '../contract/system.ts';
import type { Logger } from '../platform/log.ts';
import type { PanelOnScreen } from './recovery/waitingPage.ts';
import type { KioskSession } from './session.ts';

/** A document that speaks through the bridge: one object per document. The host has checked its frame and origin. */
export interface PageCaller {
  readonly origin: string;
  /** Sends a JSON string to this document; does nothing when the document is gone. */
  reply(json: string): void;
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
  mayNavigate(url: URL): boolean;
}

/** A built-in page, in its own window beside the kiosk page. The window shows only the page's origin. */
export interface BuiltInPage {
  readonly name: BuiltInPageName;
  /** Where it lies, on its own origin. */
  readonly url: string;
  /**
   * Whether the page lies over the kiosk page, full screen and with the input. Otherwise it is never shown but runs at
   * full speed, and the host loads it again after a crash and after a restart of the browser.
   */
  readonly visible: boolean;
  /** Whether it gets camera and microphone without a question. */
  readonly media: boolean;
  /** Gets what the page posts to `window.faceplateHost`: no frame and no other window can post there. */
  readonly sink: BridgeSink;
  /** A visible page is gone without a request: it crashed, or its window or browser ended. */
  onGone?(): void;
}

/** An open built-in page. */
export interface OpenedPage {
  /** Closes the page; safe to call twice, also when it is already gone. */
  close(): Promise<void>;
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
  /** For a browser that passes on the certificate but not the port: the port is a guess then. */
  judgeHost(
    server: TlsServer,
    certificate: X509Certificate,
    reason: string,
  ): 'trusted' | 'refused' | 'changed';
  /** Why a refused server is still refused, as a sentence; undefined when it was not refused, or is trusted by now. */
  whyRefused(server: TlsServer): Promise<string | undefined>;
  /** Calls back whenever a certificate was trusted. @returns the function that stops the calls */
  onTrusted(listener: () => void): () => void;
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
   * Opens a built-in page; each page once at a time. Open an unseen one before `start`: while something lies over the
   * kiosk page there may be no place for it, and then it comes later.
   * @throws FaceplateError HARDWARE_ERROR or UNSUPPORTED_HARDWARE when no browser can show it now
   */
  openBuiltIn(page: BuiltInPage): Promise<OpenedPage>;
  /** PNG of the kiosk page, also while a built-in page lies over it; black during sleep. */
  screenshot(): Promise<Uint8Array>;
  /**
   * Shows the kiosk page to a watcher, also below a built-in page and over restarts of the browser; black during sleep.
   * At most ten pictures a second, none while the page stands still, the last one always. One watch at a time.
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
  /** False once the host itself can no longer bring the page back and only a restart of the service may help. */
  isWell?(): boolean;
  /** Why no page is shown, in one sentence; undefined when no lasting problem prevents it. */
  whyNotShown?(): string | undefined;
  /** Memory of the browser with all its helpers, in bytes; undefined while there is none. */
  memory?(): Promise<number | undefined>;
  /** How often the page was brought back, by cause. */
  recoveries(): Readonly<Partial<Record<RecoveryCause, number>>>;
  /** What the page does now. @throws FaceplateError UNSUPPORTED_HARDWARE (no window) */
  pageState(): PageState;
  /** What the page writes to its console. @throws FaceplateError UNSUPPORTED_HARDWARE (no window), CONFLICT */
  pageConsole(): Feed<ConsoleEntry>;
}

/**
 * Why the page was brought back. `frame-crash`: a frame of another site crashed in it; `dead-page`: it showed nothing
 * although it had content; `stray-page`: it was at an address that is not allowed; `page-unreachable`: its server was
 * down; `memory`: the browser used more memory than it may.
 */
export type RecoveryCause =
  | 'renderer-crash'
  | 'frame-crash'
  | 'browser-exit'
  | 'hung-page'
  | 'dead-page'
  | 'window-closed'
  | 'stray-page'
  | 'page-unreachable'
  | 'memory';

/** How the page is kept running, from the current settings. */
export interface RecoverySettings {
  /** Whether a page that has content but shows nothing is brought back. */
  deadPageCheck(): boolean;
  /** How much memory the browser may use, in MiB; 0 = no limit. */
  memoryLimit(): number;
  /** Hour of the day, local time, in which a restart of the browser disturbs nobody. */
  quietHour(): number;
  /** What the waiting page says about the panel. */
  panel(): PanelOnScreen;
}

/** What a host needs from the service whose page it shows. */
export interface HostDependencies {
  /** The values at the start of the service. */
  readonly settings: Settings;
  readonly recoverySettings: RecoverySettings;
  readonly policy: HostPolicy;
  readonly certificates: HostCertificates;
  readonly session: KioskSession;
  readonly spec: ContainerSpec;
  readonly log: Logger;
  /** A person touched the screen or pressed a key while the panel was awake; at most once per second. */
  onActivity?(): void;
  /** The browser is running again after it was away: what needed a browser can be done now. */
  onBrowserBack?(): void;
  /** A person at the panel asks for the settings page: five fingers held for five seconds, or Ctrl+Alt+S. */
  onSettingsCall?(): void;
  /** What the page does has changed. */
  onPageState?(state: PageState): void;
  /** The page has become `failed` or `blank`; at most 30 times a minute. */
  onPageTrouble?(state: PageState): void;
  /** Prints one line to standard output, for the person or program that started the service. */
  print(line: string): void;
}
