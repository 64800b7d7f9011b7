import type { SwayIpc } from '../../platform/sway/swayIpc.ts';
import { Backlight } from './backlight.ts';
import type { BacklightDriver, OutputDriver, VolumeDriver } from './driver.ts';
import { Mixer } from './mixer.ts';
import { NoOutput, SimulatedBacklight, SimulatedVolume } from './simulated.ts';
import { SwayOutput } from './swayOutput.ts';

interface DisplayDrivers {
  readonly backlight: BacklightDriver;
  readonly volume: VolumeDriver;
  readonly output: OutputDriver;
}

/**
 * Light, sound and output need no profile: the system tells whether it has them.
 * @param sway the compositor of an installed panel
 */
export function displayDrivers(board: string, sway: SwayIpc | undefined): DisplayDrivers {
  if (board === 'simulated')
    return {
      backlight: new SimulatedBacklight(80),
      volume: new SimulatedVolume(40),
      output: new NoOutput(),
    };
  const output = sway === undefined ? new NoOutput() : new SwayOutput(sway);
  return { backlight: new Backlight(), volume: new Mixer(), output };
}
