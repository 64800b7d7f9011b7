import type { X509Certificate } from 'node:crypto';
import type { Settings } from '../config/settings.ts';
import type { OwnPageName } from '../contract/ownPage.ts';
import type { ContainerSpec } from '../contract/pageBridge.ts';
import type { HostKind } from '../contract/system.ts';
import type { Logger } from '../observe/log.ts';

/** A document that speaks through the bridge: one object per document. The host has checked its frame and origin. */
export interface PageCaller {
  readonly origin: string;
  /** Sends a JSON string to this document; nothing happens when it is gone. */
  reply(json: string): void;
}

/** What a host hands to the bridge. */
export interface BridgeSink {
  /** A JSON message of the kiosk page. */
  onMessage(caller: PageCaller, json: string): void;
  /** The document that held the bridge is gone (navigation, crash, window closed). */
  onPageGone(): void;
}

/** Who may hold the bridge and where the kiosk page may go. Asked on every use, so that a change counts at once. */
export interface HostPolicy {
  bridgeOrigins(): readonly string[];
  mayNavigate(url: URL): boolean;
}

/** A page of Faceplate's own, in a window of its own beside the kiosk page. Nothing but its origin is shown there. */
export interface OwnPage {
  readonly name: OwnPageName;
  /** Where it lies, on its own origin. */
  readonly url: string;
  /**
   * Over the kiosk page, full screen and with the input; else never shown, yet unthrottled, and brought back by the host
   * after a crash and after a restart of the browser.
   */
  readonly visible: boolean;
  /** Camera and microphone without being asked. */
  readonly media: boolean;
  /** Hears what the page posts to `window.faceplateHost`: no frame and no other window can. */
  readonly sink: BridgeSink;
  /** A visible page is gone by itself: it crashed, or its window or browser ended. */
  onGone?(): void;
}

/** A page of Faceplate's own that is open. */
export interface OpenedPage {
  /** Takes the page away; safe to call twice, and when it is gone already. */
  close(): Promise<void>;
}

/** A TLS server, as the browser names it. */
export interface TlsServer {
  readonly host: string;
  readonly port: number;
}

/** Decides about servers whose certificate the browser does not trust. */
export interface HostCertificates {
  /** Asks the server for its certificate, for a browser that does not hand it over. @param reason the browser's code */
  mayTrust(server: TlsServer, reason: string): Promise<boolean>;
  /** For a browser that hands over the certificate but not the port: the port is a guess then. */
  judgeHost(
    server: TlsServer,
    certificate: X509Certificate,
    reason: string,
  ): 'trusted' | 'refused' | 'changed';
  /** Why a server that was refused is refused still, as a sentence; undefined where it was not, or is trusted by now. */
  whyRefused(server: TlsServer): Promise<string | undefined>;
  /** Calls back whenever a certificate was trusted. @returns the function that ends it. */
  onTrusted(listener: () => void): () => void;
}

/** A full-screen browser window that shows the kiosk page. Implemented over Chromium's debugging pipe and by Electron. */
export interface KioskHost {
  readonly kind: HostKind;
  /**
   * Opens the window on `url` and resolves when the page has begun to load, or when its window can only come later:
   * the screen may not be there yet.
   */
  start(sink: BridgeSink, url: string): Promise<void>;
  /** Closes the window and everything it started. Safe to call twice, and before `start`. */
  stop(): Promise<void>;
  /** Shows another page; remembered, so that recovery comes back to it. http and https only. */
  navigate(url: string): Promise<void>;
  reload(): Promise<void>;
  /**
   * Black over everything, until `wake`; also after a restart of the browser. The page runs on below and sees no input.
   * @param onTouch called once, at the first touch, click or key, which never reaches the page
   */
  sleep(onTouch: () => void): Promise<void>;
  /** Shows the page again, once the finger that woke the panel is lifted. Does nothing to a panel that is awake. */
  wake(): Promise<void>;
  /** Puts the kiosk window above all others, when a launched app has ended; below the dark window while asleep. */
  bringToFront(): Promise<void>;
  /**
   * Opens a page of Faceplate's own; each once at a time. An unseen one is best opened before `start`: while something
   * lies over the kiosk page there may be no place for it, and it comes later.
   * @throws FaceplateError HARDWARE_ERROR or UNSUPPORTED_HARDWARE where there is no browser to show it now
   */
  openOwn(page: OwnPage): Promise<OpenedPage>;
  /** PNG of the kiosk page, also while a page of Faceplate's own lies over it; black while asleep. */
  screenshot(): Promise<Uint8Array>;
  /**
   * Forgets the service workers and caches of an origin, never its local storage.
   * @throws where there is no browser to ask now
   */
  clearCaches(origin: string): Promise<void>;
  /** False once the host itself can no longer bring the page back and only a restart of the service may help. */
  isWell?(): boolean;
  /** Why no page is shown, in one sentence; undefined where nothing stands in its way for long. */
  whyNotShown?(): string | undefined;
  /** How often the page was brought back, by cause. */
  recoveries(): Readonly<Partial<Record<RecoveryCause, number>>>;
}

/**
 * Why the page was brought back. `frame-crash`: a frame of another site died in it; `dead-page`: it showed nothing though
 * it had something to show; `stray-page`: it stood where it may not be; `page-unreachable`: its server was down; `memory`:
 * the browser held more of it than it may.
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

/** How the page is kept up, as the settings say now. */
export interface Upkeep {
  /** Whether a page that shows nothing though it has something to show is brought back. */
  deadPageCheck(): boolean;
  /** What the browser may hold in memory, in MiB; 0 = any amount. */
  memoryLimit(): number;
  /** Hour of the day, local time, in which a restart of the browser disturbs nobody. */
  quietHour(): number;
}

/** What a host needs to know of the service whose page it shows. */
export interface HostDependencies {
  /** As the service began. */
  readonly settings: Settings;
  readonly upkeep: Upkeep;
  readonly policy: HostPolicy;
  readonly certificates: HostCertificates;
  readonly spec: ContainerSpec;
  readonly log: Logger;
  /** Somebody touched the screen or pressed a key while the panel is awake; at most once per second. */
  onActivity?(): void;
  /** The browser is there again after it was away: what could not be done without it can be done now. */
  onBrowserBack?(): void;
  /** Somebody at the panel calls for the settings page: five fingers held for five seconds, or Ctrl+Alt+S. */
  onSettingsCall?(): void;
  /** Prints one line to standard output, for the person or program that started the service. */
  print(line: string): void;
}
