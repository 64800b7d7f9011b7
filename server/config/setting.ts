import { z } from 'zod';
import type { SettingKind } from '../contract/settings.ts';

/** The declaration of one setting. */
interface Setting<T> {
  readonly schema: z.ZodType<T>;
  readonly kind: SettingKind;
  readonly default: NoInfer<T>;
  readonly description: string;
  readonly unit?: string;
  readonly secret?: true;
  /** Whether only the owner may change it: who holds `manage` could otherwise give themselves more. */
  readonly owner?: true;
  /** Whether it lets code or a person in: as `owner`, and not to be given on by a roll-out or somebody's backup. */
  readonly opens?: true;
  /** Whether a change over the API takes effect at once, not only at the next start. */
  readonly live?: true;
}

/** Declares a setting; its type is that of its schema. */
export function setting<T>(declaration: Setting<T>): Setting<T> {
  return declaration;
}

/** A UDP or TCP port; 0 if any free one will do. */
export const port = z.int().min(0).max(65_535);
