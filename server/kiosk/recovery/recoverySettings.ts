import { totalmem } from 'node:os';
import type { Settings } from '../../config/settings.ts';
import type { RecoverySettings } from '../host.ts';
import type { PanelOnScreen } from './waitingPage.ts';

/** Share of the panel's memory that the browser may use when the settings name no limit. */
const SHARE = 0.6;
const MIB = 1024 * 1024;

/** What the current settings say about recovery. */
export function recoverySettingsOf(
  settings: () => Settings,
  panel: () => PanelOnScreen,
  isInCall: () => Promise<boolean>,
  memoryBytes: number = totalmem(),
): RecoverySettings {
  return {
    deadPageCheck: () => settings()['kiosk.deadPageCheck'],
    memoryLimit: () => {
      const limit = settings()['kiosk.memoryLimit'];
      return limit === 'auto' ? Math.floor((memoryBytes * SHARE) / MIB) : limit;
    },
    quietHour: () => settings()['kiosk.quietHour'],
    isInCall,
    panel,
  };
}
