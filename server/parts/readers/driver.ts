import type { DeviceDriver } from '../device.ts';

/** A reader of cards or codes. */
export interface ReaderDriver extends DeviceDriver {
  /** Sets what gets each whole text, which is not empty. Before `start`. */
  onScan(listener: (text: string) => void): void;
  /** Simulated readers only. */
  simulate?(text: string): void;
}
