import { type Core, definePart } from '../part.ts';
import { Backlight } from './backlight.ts';
import {
  type BacklightDriver,
  NoOutput,
  type OutputDriver,
  SimulatedBacklight,
  SimulatedVolume,
  type VolumeDriver,
} from './driver.ts';
import { Mixer } from './mixer.ts';
import { DisplayService } from './service.ts';
import { SwayOutput } from './swayOutput.ts';

/** Light, volume, zoom and rotation of the screen. Its commands are answered by `idle`, which owns the light. */
export const display = definePart(
  'display',
  ({ board, session, kiosk, dataDir, events, log }) =>
    new DisplayService({ ...displayDrivers(board.name, session.sway), window: kiosk, dataDir, events, log }),
)
  .reporting({ snapshot: (service) => ({ display: service.snapshot() }) })
  .showing(async (service) => ({ display: await service.known() }));

interface DisplayDrivers {
  readonly backlight: BacklightDriver;
  readonly volume: VolumeDriver;
  readonly output: OutputDriver;
}

/**
 * Light, sound and output need no profile: the system tells whether it has them.
 * @param sway the compositor of an installed panel
 */
function displayDrivers(board: string, sway: Core['session']['sway']): DisplayDrivers {
  if (board === 'simulated')
    return {
      backlight: new SimulatedBacklight(80),
      volume: new SimulatedVolume(40),
      output: new NoOutput(),
    };
  const output = sway === undefined ? new NoOutput() : new SwayOutput(sway);
  return { backlight: new Backlight(), volume: new Mixer(), output };
}
