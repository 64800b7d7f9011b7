import { constants } from 'node:fs';
import * as uapi from '../../parts/gpio/gpioChipUapi.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import type { SysFolders } from './sysFolders.ts';

/** A line of a GPIO chip. */
interface ChipLine {
  readonly offset: number;
  /** Empty where the board gives it none. */
  readonly name: string;
  /** Who holds it; null: nobody. */
  readonly holder: string | null;
  readonly direction: 'input' | 'output';
}

/** A GPIO chip of the kernel. */
export interface ChipFacts {
  readonly path: string;
  /** Its name as the kernel's driver gives it, such as `pinctrl-bcm2711`. */
  readonly label: string;
  readonly lines: readonly ChipLine[];
}

/** Every GPIO chip that may be read. No line is requested: nothing on the wires changes. */
export function findGpioChips(folders: SysFolders, io: DeviceIo): ChipFacts[] {
  const nodes = folders.list('/dev').filter((name) => /^gpiochip\d+$/.test(name));
  return nodes.flatMap((node) => {
    const path = `/dev/${node}`;
    try {
      return [readChip(io, path)];
    } catch (error) {
      folders.failed(path, error);
      return [];
    }
  });
}

function readChip(io: DeviceIo, path: string): ChipFacts {
  const chip = io.open(path, constants.O_RDONLY);
  try {
    const info = Buffer.alloc(uapi.SIZE.chipInfo);
    io.ioctlPointer(chip, uapi.GPIO_GET_CHIPINFO, info);
    const lines = Array.from({ length: uapi.chipLines(info) }, (_, offset): ChipLine => {
      const line = uapi.lineInfo(offset);
      io.ioctlPointer(chip, uapi.GPIO_V2_GET_LINEINFO, line);
      return { offset, name: uapi.lineName(line), ...uapi.lineUse(line) };
    });
    return { path, label: uapi.chipLabel(info), lines };
  } finally {
    io.close(chip);
  }
}
