import type { SettingEntry } from '../settingValue.ts';

/** Stores a value; null brings the default back. */
export type Save = (key: string, value: unknown) => Promise<void>;

/** What the control of a setting gets. */
export interface ControlProps {
  readonly name: string;
  readonly entry: SettingEntry;
  readonly isHeld: boolean;
  readonly save: Save;
}
