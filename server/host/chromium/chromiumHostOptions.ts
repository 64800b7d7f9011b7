import type { ContainerSpec } from '../../contract/pageBridge.ts';
import type { Logger } from '../../observe/log.ts';
import type { Clock } from '../clock.ts';
import type { HostCertificates, HostPolicy, Upkeep } from '../host.ts';
import type { RecoveryLimits } from '../recovery.ts';
import type { KioskUser } from './kioskUser.ts';
import type { BridgeNames } from './pageScript.ts';

export interface ChromiumHostOptions {
  /** Path of the browser, as from findChromium(). */
  readonly binary: string;
  /** The browser's own folder; made where it is missing, never removed. */
  readonly profileDir: string;
  readonly headless: boolean;
  /** A DevTools port on 127.0.0.1 beside the pipe, for tests; 0 = any free one; undefined = none. */
  readonly debugPort?: number | undefined;
  /** Called with the open DevTools port, again after every restart of the browser. */
  readonly onDebugPort?: (port: number) => void;
  /** Whom the browser runs as when the service is root, as from kioskUser(). */
  readonly user: KioskUser | undefined;
  readonly fakeMedia?: boolean;
  readonly upkeep: Upkeep;
  /** Somebody uses the page; at most once per second. */
  readonly onActivity?: (() => void) | undefined;
  /** Somebody at the panel calls for the settings page. */
  readonly onSettingsCall?: (() => void) | undefined;
  /** The browser is there again after it was away. */
  readonly onBrowserBack?: (() => void) | undefined;
  /** The service's environment; the browser gets what it needs of it. */
  readonly env: NodeJS.ProcessEnv;
  readonly policy: HostPolicy;
  readonly certificates: HostCertificates;
  readonly spec: ContainerSpec;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly limits?: RecoveryLimits;
  /** Makes the names of one browser run. */
  readonly makeNames?: () => BridgeNames;
}
