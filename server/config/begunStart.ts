import type { SettingKey, SettingsStep } from './settings.ts';
import type { Layer, SettingsFile } from './settingsFile.ts';
import { readGood, readStarts, readView, type Starts, type View } from './starts.ts';
import { takeBack, whyBack } from './takenBack.ts';
import type { Undone } from './undone.ts';

/** A start, as the starts before and the files have it. */
export interface BegunStart {
  readonly dataDir: string;
  /** The last set that worked. */
  readonly good: Layer;
  /** Whether a set is known to have worked. */
  readonly isGoodKnown: boolean;
  readonly instead: ReadonlyMap<SettingKey, unknown>;
  readonly undone: readonly Undone[];
  /** As it was found. */
  readonly found: Starts;
  /** With what is taken back now. */
  readonly now: Starts;
  /** The view that this start takes. */
  readonly view: View;
}

interface JudgedFacts {
  readonly dataDir: string;
  readonly file: SettingsFile;
  isHeld(key: SettingKey): boolean;
  readonly steps: readonly SettingsStep[];
}

/** Decides which settings this start follows. Changes nothing. */
export function judgeStart({ dataDir, file, isHeld, steps }: JudgedFacts): BegunStart {
  const found = readStarts(dataDir);
  const { layer: good, isKnown: isGoodKnown } = readGood(dataDir, steps);
  const at = new Date().toISOString();
  const { instead, undone, kept } = takeBack({ file, good, starts: found, isHeld, at });
  const reason = whyBack(found);
  let view = readView(dataDir);
  const told = [...undone];
  if (reason !== undefined) {
    for (const part of ['zoom', 'rotation'] as const) {
      if (view[part] === found.view[part]) continue;
      kept[`display.${part}`] = { reason, at, of: '' };
      told.push({ setting: `display.${part}`, reason, at });
    }
    view = found.view;
  }
  const now = { ...found, failed: reason === undefined ? found.failed : 0, isDark: false, undone: kept };
  return { dataDir, good, isGoodKnown, instead, undone: told, found, now, view };
}
