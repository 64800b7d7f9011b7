import type { PluggedKeyboards } from '../driver.ts';

/** A panel on the wall: no keyboard hangs on it. */
export class SimulatedKeyboards implements PluggedKeyboards {
  async isThere(): Promise<boolean> {
    return false;
  }
}
