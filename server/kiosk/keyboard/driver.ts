import { readFile } from 'node:fs/promises';
import type { BridgeSink, Layer, PageSize } from '../host.ts';

/** Keyboards of hardware. */
export interface PluggedKeyboards {
  /** Whether one is plugged in now. */
  isThere(): Promise<boolean>;
}

/** What the keyboard needs of the window. */
export interface KeyboardWindow {
  /** Opens the layer of the keyboard, hidden. @throws FaceplateError UNSUPPORTED_HARDWARE (no window) */
  openKeys(sink: BridgeSink, onReady: () => void): Promise<Layer>;
  /** @see KioskHost.pressKey */
  pressKey(key: string): Promise<void>;
  /** @see KioskHost.makeRoom */
  makeRoom(height: number): Promise<void>;
  screenSize(): PageSize;
}

/** Keys 1 to 31 of linux/input-event-codes.h: Escape, the digits, and letters from Q to S. */
const MOST_KEYS = 0xfffffffen;

/** The keyboards that Linux has found. Reading them anew each time is quicker than a touch. */
export class LinuxKeyboards implements PluggedKeyboards {
  readonly #path: string;

  /** @param path the list of input devices, as the kernel writes it */
  constructor(path = '/proc/bus/input/devices') {
    this.#path = path;
  }

  async isThere(): Promise<boolean> {
    // Where there is no list, no device can be known.
    return hasKeyboard(await readFile(this.#path, 'utf8').catch(() => ''));
  }
}

/**
 * Whether a list of input devices names a keyboard that is plugged in: one with nearly all keys of the main block, as udev
 * decides it (udev-builtin-input_id). Buttons and remote controls have fewer, and virtual devices are not plugged in.
 */
export function hasKeyboard(list: string): boolean {
  return list.split('\n\n').some((device) => {
    if (/^S: Sysfs=\/devices\/virtual\//m.test(device)) return false;
    const words = /^B: KEY=([0-9a-f ]+)$/m.exec(device)?.[1]?.trim().split(' ');
    const lowest = words?.at(-1);
    return lowest !== undefined && (BigInt(`0x${lowest}`) & MOST_KEYS) === MOST_KEYS;
  });
}

/** A panel on the wall: no keyboard hangs on it. */
export class SimulatedKeyboards implements PluggedKeyboards {
  async isThere(): Promise<boolean> {
    return false;
  }
}
