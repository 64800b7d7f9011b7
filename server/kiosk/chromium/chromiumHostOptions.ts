import type { ContainerSpec } from '../../contract/pageBridge.ts';
import { GrowingLimit } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { BrowserExtras } from '../../platform/kioskJobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { KioskUser } from '../../platform/privileges.ts';
import type { PageState } from '../contract.ts';
import type {
  FieldFocus,
  HostCertificates,
  HostDependencies,
  HostPolicy,
  RecoverySettings,
} from '../host.ts';
import type { PageExtras } from '../pageExtras.ts';
import type { RecoveryLimits } from '../recovery/recovery.ts';
import type { WindowStack } from '../windowStack.ts';
import type { BridgeNames } from './guards/pageScript.ts';
import type { BegunBrowser } from './process/browserRun.ts';

export interface ChromiumHostOptions {
  /** Path of the browser, as findChromium() returns it. */
  readonly binary: string;
  /** The browser's own folder; created when missing, never removed. */
  readonly profileDir: string;
  readonly headless: boolean;
  /** A DevTools port on 127.0.0.1 beside the pipe, for tests; 0 = any free one; undefined = none. */
  readonly debugPort?: number | undefined;
  /** Called with the open DevTools port, again after every restart of the browser. */
  readonly onDebugPort?: (port: number) => void;
  /** The user that the browser runs as when the service is root, as kioskUser() returns it. */
  readonly user: KioskUser | undefined;
  /**
   * The socket of the starter that runs the browser as the kiosk's user, in the starter's own choice of profile;
   * undefined = we start the browser.
   */
  readonly starter?: string | undefined;
  readonly fakeMedia?: boolean;
  /** What the settings add to the browser. */
  readonly browserExtras?: BrowserExtras;
  /** What the settings give to pages. */
  readonly pageExtras?: PageExtras;
  /** Why the disk of the profile takes no writes; undefined where it does. */
  readonly whyNoRoom?: () => Promise<string | undefined>;
  /** The browser of the first run, where it was started before the host. */
  readonly early?: BegunBrowser | undefined;
  /** What places the windows on this screen; undefined = the browser's own means. */
  readonly stack?: WindowStack | undefined;
  readonly recoverySettings: RecoverySettings;
  /** A person uses the page; at most once per second. */
  readonly onActivity?: (() => void) | undefined;
  /** A video or wake lock of the page keeps the panel awake; about once a second while it does. */
  readonly onKeepAwake?: (() => void) | undefined;
  /** Milliseconds in place of that second. */
  readonly keepAwakeEveryMs?: number;
  /** A person at the panel asks for the settings page. */
  readonly onSettingsCall?: (() => void) | undefined;
  /** The browser is running again after it was away. */
  readonly onBrowserBack?: (() => void) | undefined;
  /** A field got the focus, or none has it any more. */
  readonly onField?: ((focus: FieldFocus | undefined) => void) | undefined;
  /** What the page does has changed. */
  readonly onPageState?: ((state: PageState) => void) | undefined;
  /** The page has become `failed` or `blank`; at most 30 times a minute. */
  readonly onPageTrouble?: ((state: PageState) => void) | undefined;
  /** @see HostDependencies.onDialog */
  readonly onDialog?: HostDependencies['onDialog'];
  /** The service's environment; the browser gets the part of it that it needs. */
  readonly env: NodeJS.ProcessEnv;
  readonly policy: HostPolicy;
  readonly certificates: HostCertificates;
  readonly spec: ContainerSpec;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly limits?: RecoveryLimits;
  /** Creates the names for one run of the browser. */
  readonly makeNames?: () => BridgeNames;
}

/**
 * How long the browser may take for each kind of step. They live as long as the host, so they outlast one browser. Its start
 * has long ones: it hangs rarely, and a try that is cut off is lost on a slow panel, which is busiest then.
 */
export interface BrowserLimits {
  /** Its starter, to answer. Not the same as the next: a quick answer says nothing about the window. */
  readonly starter: GrowingLimit;
  /** To show its first window. */
  readonly start: GrowingLimit;
  /** To let that window be set up. */
  readonly firstWindow: GrowingLimit;
  /** To open a bare window, which our own pages get. */
  readonly bareWindow: GrowingLimit;
  /** To begin a navigation. */
  readonly navigation: GrowingLimit;
  /** To accept a script for a page. A page whose renderer has crashed never does. */
  readonly script: GrowingLimit;
  /** To answer one question of a repeated series. */
  readonly question: GrowingLimit;
  /** To begin a built-in page. */
  readonly builtInPage: GrowingLimit;
  /** To load the page of the blank window. */
  readonly blankPage: GrowingLimit;
}

/** The limits of a host that has just been made. */
export function browserLimits(): BrowserLimits {
  return {
    starter: new GrowingLimit(60_000),
    start: new GrowingLimit(60_000),
    firstWindow: new GrowingLimit(60_000),
    bareWindow: new GrowingLimit(10_000),
    navigation: new GrowingLimit(10_000),
    script: new GrowingLimit(2_000),
    question: new GrowingLimit(2_500),
    builtInPage: new GrowingLimit(10_000),
    blankPage: new GrowingLimit(5_000),
  };
}
