import { totalmem } from 'node:os';
import type { Settings } from '../config/settings.ts';
import type { Upkeep } from './host.ts';

/** Share of the panel's memory that the browser may hold where the settings do not say. */
const SHARE = 0.6;
const MIB = 1024 * 1024;

/** What the settings of the moment say about keeping the page up. */
export function upkeepOf(settings: () => Settings, memoryBytes: number = totalmem()): Upkeep {
  return {
    deadPageCheck: () => settings()['kiosk.deadPageCheck'],
    memoryLimit: () => {
      const limit = settings()['kiosk.memoryLimit'];
      return limit === 'auto' ? Math.floor((memoryBytes * SHARE) / MIB) : limit;
    },
    quietHour: () => settings()['kiosk.quietHour'],
  };
}
