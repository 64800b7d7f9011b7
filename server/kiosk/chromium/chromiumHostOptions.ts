import type { PageState } from '../../contract/page.ts';
import type { ContainerSpec } from '../../contract/pageBridge.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { HostCertificates, HostPolicy, RecoverySettings } from '../host.ts';
import type { RecoveryLimits } from '../recovery/recovery.ts';
import type { BridgeNames } from './guards/pageScript.ts';
import type { KioskUser } from './process/kioskUser.ts';

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
  readonly recoverySettings: RecoverySettings;
  /** A person uses the page; at most once per second. */
  readonly onActivity?: (() => void) | undefined;
  /** A person at the panel asks for the settings page. */
  readonly onSettingsCall?: (() => void) | undefined;
  /** The browser is running again after it was away. */
  readonly onBrowserBack?: (() => void) | undefined;
  /** What the page does has changed. */
  readonly onPageState?: ((state: PageState) => void) | undefined;
  /** The page has become `failed` or `blank`; at most 30 times a minute. */
  readonly onPageTrouble?: ((state: PageState) => void) | undefined;
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
