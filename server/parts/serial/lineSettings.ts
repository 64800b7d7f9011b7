import type { LineSettings } from './driver.ts';

/** How a port is set unless its board profile or the call says otherwise. */
const USUAL: Omit<LineSettings, 'baudRate'> = {
  dataBits: 8,
  parity: 'none',
  stopBits: 1,
  flowControl: 'none',
};

/** What a board profile or a caller says about a line; the rest is left to others. */
export type SomeSettings = { readonly [K in keyof LineSettings]?: LineSettings[K] | undefined };

/** What the call says, else the board profile, else what is usual. */
export function settingsOf(
  call: SomeSettings & Pick<LineSettings, 'baudRate'>,
  profile: SomeSettings = {},
): LineSettings {
  return {
    baudRate: call.baudRate,
    dataBits: call.dataBits ?? profile.dataBits ?? USUAL.dataBits,
    parity: call.parity ?? profile.parity ?? USUAL.parity,
    stopBits: call.stopBits ?? profile.stopBits ?? USUAL.stopBits,
    flowControl: call.flowControl ?? profile.flowControl ?? USUAL.flowControl,
  };
}

/** Whether both mean the same line. */
export function areSame(one: LineSettings, other: LineSettings): boolean {
  return (Object.keys(one) as (keyof LineSettings)[]).every((key) => one[key] === other[key]);
}
