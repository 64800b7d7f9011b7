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
