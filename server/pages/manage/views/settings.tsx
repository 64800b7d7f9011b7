import { useMemo, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../../config/contract.ts';
import { call } from '../client/panel.ts';
import { settingName, settingText, t } from '../language.ts';
import {
  isChanged,
  type Purpose,
  purposeOf,
  purposes,
  type Save,
  type SettingEntry,
  valueText,
} from '../settingValue.ts';
import { Card, EmptyState, Loading } from '../ui/card.tsx';
import { useCall } from '../ui/hooks.ts';
import { notice } from '../ui/notice.tsx';
import { SettingRow, Undone } from './settingRow.tsx';

/** All settings, by what they are for. */
export function Settings() {
  const answer = useCall<SettingsAnswer>('settings.read');
  const [search, setSearch] = useState('');
  const [changedOnly, setChangedOnly] = useState(false);
  const save: Save = async (key, value) => {
    const { cleared = [] } = await call('settings.change', { [key]: value });
    if (cleared.length === 0) notice(t('saved'));
    else notice(t('savedCleared', { keys: cleared.map(settingName).join(', ') }), true);
    await answer.reload();
  };
  return (
    <Loading of={answer}>
      {({ settings, restartNeeded }) => (
        <>
          <Undone after={settings} />
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
  if (groups.length === 0) return <EmptyState icon="search" words={t('noneFound')} />;
  return (
    <>
      {groups.length > 1 && (
        <nav class="groups wide" aria-label={t('menu')}>
          {groups.map(([purpose]) => (
            <button key={purpose} type="button" class="ghost" onClick={() => goTo(purpose)}>
              {t(`purpose_${purpose}`)}
            </button>
          ))}
        </nav>
      )}
      {groups.map(([purpose, keys]) => (
        <Card key={purpose} title={t(`purpose_${purpose}`)} wide class={`settings group-${purpose}`}>
          {keys.map((key) => (
            <SettingRow
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

/** Brings a group to the top; the keys go on there. */
function goTo(purpose: Purpose): void {
  const group = document.querySelector<HTMLElement>(`.group-${purpose}`);
  group?.scrollIntoView({ block: 'start' });
  group?.querySelector<HTMLElement>('button, input, select')?.focus({ preventScroll: true });
}
