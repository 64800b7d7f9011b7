import { settingName, settingText, t } from '../language.ts';
import { type SettingEntry, valueText } from '../settingValue.ts';
import { attempt } from '../ui/notice.tsx';
import type { Save } from './controlProps.ts';
import { Control } from './settingControl.tsx';

/** Whether a setting is not as it is by default. */
export function isChanged(entry: SettingEntry): boolean {
  if (entry.set !== undefined) return entry.set;
  return JSON.stringify(entry.value) !== JSON.stringify(entry.default);
}

/** Their own text says that only environment or flag set them. */
const OUTSIDE_ONLY = ['dataDir', 'update.keys', 'kiosk.debugPort'];

interface RowProps {
  readonly name: string;
  readonly entry: SettingEntry;
  readonly needsRestart: boolean;
  readonly save: Save;
}

/** One setting with its name, what it does, its control and what holds it. */
export function SettingRow({ name, entry, needsRestart, save }: RowProps) {
  const isOutside = entry.source === 'flag' || entry.source === 'environment';
  const isHeld = isOutside || entry.locked === true || OUTSIDE_ONLY.includes(name);
  const source = entry.source === 'flag' ? t('source_flag') : t('source_environment');
  const canReset = !isHeld && entry.source === 'file';
  return (
    <div class="setting" data-testid={`setting-${name}`}>
      <div class="grow">
        <strong>{settingName(name)}</strong>
        <code class="key">{name}</code>
        <p class="hint">{settingText(name, entry.description)}</p>
        {entry.set === undefined && isChanged(entry) && (
          <p class="hint">{t('defaultIs', { value: valueText(entry.default) || t('empty') })}</p>
        )}
        {needsRestart && <p class="hint warm">{t('restartKey')}</p>}
        {isOutside && name !== 'dataDir' && <p class="hint warm">{t('held', { source })}</p>}
        {!isOutside && entry.locked && <p class="hint warm">{t('lockedSetting')}</p>}
      </div>
      <div class="row end">
        <Control name={name} entry={entry} isHeld={isHeld} save={save} />
        {canReset && (
          <button
            type="button"
            class="quiet"
            aria-label={`${t('resetToDefault')}: ${settingName(name)}`}
            data-testid={`reset-${name}`}
            onClick={() => void attempt(() => save(name, null))}
          >
            {t('resetToDefault')}
          </button>
        )}
      </div>
    </div>
  );
}
