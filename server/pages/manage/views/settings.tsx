import { useMemo, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../../contract/settings.ts';
import { call } from '../client/panel.ts';
import { settingName, settingText, t } from '../language.ts';
import { type SettingEntry, valueText } from '../settingValue.ts';
import { Card, Loading, Switch } from '../ui/card.tsx';
import { editSetting } from '../ui/editor.tsx';
import { useCall } from '../ui/hooks.ts';
import { attempt, notice } from '../ui/notice.tsx';
import { reboot } from '../ui/pageActions.tsx';
import { type Purpose, purposeOf, purposes } from './purposes.ts';

type Save = (key: string, value: unknown) => Promise<void>;

/** All settings, by what they are for. */
export function Settings() {
  const answer = useCall<SettingsAnswer>('settings.read');
  const [search, setSearch] = useState('');
  const [changedOnly, setChangedOnly] = useState(false);
  const save: Save = async (key, value) => {
    await call('settings.change', { [key]: value });
    notice(t('saved'));
    await answer.reload();
  };
  return (
    <Loading of={answer}>
      {({ settings, restartNeeded }) => (
        <>
          <RestartBanner keys={restartNeeded} />
          <div class="wide search">
            <input
              type="search"
              aria-label={t('searchSettings')}
              placeholder={t('searchSettings')}
              data-testid="search"
              value={search}
              onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            />
            <label class="check">
              <input
                type="checkbox"
                data-testid="changed-only"
                checked={changedOnly}
                onChange={({ currentTarget }) => setChangedOnly(currentTarget.checked)}
              />
              {t('changedOnly')}
            </label>
          </div>
          <Groups
            settings={settings}
            wanted={(key, entry) => fits(key, entry, search) && (!changedOnly || isChanged(entry))}
            restart={restartNeeded}
            save={save}
          />
        </>
      )}
    </Loading>
  );
}

/** Whether all words of the search stand in the name, the key, the purpose or the value of a setting. */
function fits(key: string, entry: SettingEntry, search: string): boolean {
  const text = [settingName(key), key, settingText(key, entry.description), valueText(entry.value)]
    .join(' ')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function isChanged(entry: SettingEntry): boolean {
  if (entry.set !== undefined) return entry.set;
  return JSON.stringify(entry.value) !== JSON.stringify(entry.default);
}

interface GroupsProps {
  readonly settings: SettingsAnswer['settings'];
  readonly wanted: (key: string, entry: SettingEntry) => boolean;
  readonly restart: readonly string[];
  readonly save: Save;
}

function Groups({ settings, wanted, restart, save }: GroupsProps) {
  const byPurpose = useMemo(() => Map.groupBy(Object.keys(settings), purposeOf), [settings]);
  const groups = (Object.keys(purposes) as Purpose[])
    .map(
      (purpose) =>
        [purpose, (byPurpose.get(purpose) ?? []).filter((key) => wanted(key, settings[key]!))] as const,
    )
    .filter(([, keys]) => keys.length > 0);
  if (groups.length === 0) return <p class="hint wide">{t('noneFound')}</p>;
  return (
    <>
      {groups.map(([purpose, keys]) => (
        <Card key={purpose} title={t(`purpose_${purpose}`)} wide class="settings">
          {keys.map((key) => (
            <Row
              key={key}
              name={key}
              entry={settings[key]!}
              needsRestart={restart.includes(key)}
              save={save}
            />
          ))}
        </Card>
      ))}
    </>
  );
}

function RestartBanner({ keys }: { keys: readonly string[] }) {
  return (
    <div class="banner wide" data-testid="restart-needed" hidden={keys.length === 0}>
      <p class="grow">{t('restartNeeded', { keys: keys.join(', ') })}</p>
      <button type="button" class="danger" onClick={() => void reboot()}>
        {t('reboot')}
      </button>
    </div>
  );
}

interface RowProps {
  readonly name: string;
  readonly entry: SettingEntry;
  readonly needsRestart: boolean;
  readonly save: Save;
}

function Row({ name, entry, needsRestart, save }: RowProps) {
  const isHeld = entry.source === 'flag' || entry.source === 'environment' || name === 'dataDir';
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
        {isHeld && name !== 'dataDir' && <p class="hint warm">{t('held', { source })}</p>}
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

interface ControlProps {
  readonly name: string;
  readonly entry: SettingEntry;
  readonly isHeld: boolean;
  readonly save: Save;
}

function Control({ name, entry, isHeld, save }: ControlProps) {
  const { value, choices = [] } = entry;
  const label = settingName(name);
  const change = (wished: unknown) => void attempt(() => save(name, wished));
  if (choices.includes(value) && choices.every((choice) => typeof choice === 'boolean'))
    return <Switch label={label} isOn={value === true} disabled={isHeld} onChange={change} />;
  if (choices.includes(value))
    return (
      <select
        class="choice"
        aria-label={label}
        disabled={isHeld}
        value={String(choices.indexOf(value))}
        onChange={({ currentTarget }) => {
          const wished = choices[currentTarget.selectedIndex];
          // It shows what the panel says until that changes.
          currentTarget.selectedIndex = choices.indexOf(value);
          change(wished);
        }}
      >
        {choices.map((one, index) => (
          <option key={String(one)} value={String(index)}>
            {typeof one === 'boolean' ? t(one ? 'on' : 'off') : String(one)}
          </option>
        ))}
      </select>
    );
  const secret = entry.set ? t('secretSet') : t('secretNone');
  const text = entry.set === undefined ? valueText(value) || t('empty') : secret;
  return (
    <button
      type="button"
      class="value"
      data-testid={`value-${name}`}
      disabled={isHeld}
      aria-label={`${label}: ${text}`}
      onClick={() =>
        void editSetting({ settingKey: name, label, entry, save: (wished) => save(name, wished) })
      }
    >
      {`${text}${entry.unit ? ` ${entry.unit}` : ''}`}
    </button>
  );
}
