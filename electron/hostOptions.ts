import type { HostDependencies } from '../server/kiosk/host.ts';
import type { PageExtras } from '../server/kiosk/pageExtras.ts';
import type { RecoveryLimits } from '../server/kiosk/recovery/recovery.ts';
import type { Clock } from '../server/platform/clock.ts';
import type { ElectronApi } from './electronApi.ts';

/** What the Electron host needs. */
export interface ElectronHostOptions
  extends Pick<
    HostDependencies,
    | 'recoverySettings'
    | 'policy'
    | 'certificates'
    | 'spec'
    | 'log'
    | 'onActivity'
    | 'onKeepAwake'
    | 'onSettingsCall'
    | 'onField'
    | 'onDialog'
    | 'onPageState'
    | 'onPageTrouble'
  > {
  readonly pageExtras?: PageExtras;
  readonly electron: ElectronApi;
  /** Path of the window's picture, where a desktop shows one. */
  readonly icon?: string;
  /** Path of the bundled preload script. */
  readonly preload: string;
  /** Path of the bundled preload script for built-in pages. */
  readonly builtInPreload: string;
  readonly clock?: Clock;
  readonly limits?: RecoveryLimits;
}
