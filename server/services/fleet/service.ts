import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { RolloutProgress } from '../../contract/fleet.ts';
import type { FleetBroker } from './driver.ts';

/** The other panels, and roll-outs to them. */
export class FleetService {
  /** The surface connects; undefined: there is no broker any more. */
  attach(_broker: FleetBroker | undefined): void {}

  list(): ResultOf<'fleet.list'> {
    throw new FaceplateError('UNSUPPORTED_HARDWARE', 'mqtt.fleet is off.');
  }

  async rollout(_params: ParamsOf<'fleet.rollout'>): Promise<ResultOf<'fleet.rollout'>> {
    throw new FaceplateError('UNSUPPORTED_HARDWARE', 'mqtt.fleet is off.');
  }

  progress(_params: ParamsOf<'fleet.progress'>): RolloutProgress {
    throw new FaceplateError('UNSUPPORTED_HARDWARE', 'mqtt.fleet is off.');
  }

  async stopRollout(_params: ParamsOf<'fleet.stop'>): Promise<RolloutProgress> {
    throw new FaceplateError('UNSUPPORTED_HARDWARE', 'mqtt.fleet is off.');
  }
}
