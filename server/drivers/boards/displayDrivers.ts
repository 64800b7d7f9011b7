import type { LevelDriver } from '../../services/display/driver.ts';
import { Backlight } from '../display/backlight.ts';
import { Mixer } from '../display/mixer.ts';
import { SimulatedLevel } from '../display/simulated.ts';

/** Brightness and volume need no profile: the system tells whether it has them. */
export function displayDrivers(board: string): { brightness: LevelDriver; volume: LevelDriver } {
  if (board === 'simulated') return { brightness: new SimulatedLevel(80), volume: new SimulatedLevel(40) };
  return { brightness: new Backlight(), volume: new Mixer() };
}
