import { existsSync } from 'node:fs';
import { systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { systemDeviceIo } from '../../platform/native/ioctl.ts';
import { GpioControl } from '../gpio/gpioControl.ts';
import type { BoardRule } from './board.ts';

const GPIO_CONTROL = '/dev/gpio_control';

/**
 * How `auto` recognises the boards of the shipped profiles. `generic-linux` has no rule: a desk PC must never be taken
 * for a panel.
 */
export function boardRules(log: Logger): readonly BoardRule[] {
  return [{ profile: 'rk3576-panel', matches: () => hasGpioControl(log) }];
}

/** Other systems use this node name for another protocol: only a node that answers a read is the panel's. */
async function hasGpioControl(log: Logger): Promise<boolean> {
  // Checked first, so that koffi is not loaded on a machine without the node.
  if (!existsSync(GPIO_CONTROL)) return false;
  const pins = new GpioControl({
    path: GPIO_CONTROL,
    inputs: [],
    safeLevels: {},
    io: systemDeviceIo,
    clock: systemClock,
    log,
  });
  try {
    await pins.read(0);
    return true;
  } catch (error) {
    log.warn(
      { path: GPIO_CONTROL, err: error },
      'boards: not detected as a panel, its device node does not work',
    );
    return false;
  }
}
