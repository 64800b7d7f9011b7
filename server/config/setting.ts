import { z } from 'zod';
import type { SettingKind } from '../contract/settings.ts';

/** What is declared of one setting. */
interface Setting<T> {
  readonly schema: z.ZodType<T>;
  readonly kind: SettingKind;
  readonly default: NoInfer<T>;
  readonly description: string;
  readonly unit?: string;
  readonly secret?: true;
  /** A change over the API counts at once, not from the next start on. */
  readonly live?: true;
}

/** Declares a setting; its type is that of its schema. */
export function setting<T>(declaration: Setting<T>): Setting<T> {
  return declaration;
}

/** A UDP or TCP port; 0 where any free one will do. */
export const port = z.int().min(0).max(65_535);
