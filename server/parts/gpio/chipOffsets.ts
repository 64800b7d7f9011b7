import { errnoError } from '../../platform/errno.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import * as uapi from './gpioChipUapi.ts';

/** How a line of a chip is found: by one of the two. */
interface FoundLine {
  readonly offset?: number | undefined;
  readonly name?: string | undefined;
}

/**
 * The offset of each line. Names are looked up only when there are any.
 * @throws an errno exception: ENXIO when the chip has no line of this name
 */
export function chipOffsets(io: DeviceIo, chip: number, lines: readonly FoundLine[]): number[] {
  const names = new Map<string, number>();
  if (lines.some(({ name }) => name !== undefined)) {
    const info = Buffer.alloc(uapi.SIZE.chipInfo);
    io.ioctlPointer(chip, uapi.GPIO_GET_CHIPINFO, info);
    for (let offset = 0; offset < uapi.chipLines(info); offset++) {
      const line = uapi.lineInfo(offset);
      io.ioctlPointer(chip, uapi.GPIO_V2_GET_LINEINFO, line);
      const name = uapi.lineName(line);
      // The kernel does not promise unique names; its own tools take the first too.
      if (name !== '' && !names.has(name)) names.set(name, offset);
    }
  }
  return lines.map(({ name, offset }) => {
    const found = name === undefined ? offset : names.get(name);
    if (found === undefined) throw errnoError('ENXIO', `the chip has no line named ${name}`);
    return found;
  });
}
