import { useEffect, useMemo, useState } from 'preact/hooks';
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
import { Card, EmptyState, Loading, SearchBox } from '../ui/card.tsx';
import { useCall } from '../ui/hooks.ts';
import { notice } from '../ui/notice.tsx';
import { route } from '../ui/route.ts';
import { Group } from '../ui/roving.tsx';
import { useStore } from '../ui/store.ts';
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
            <SearchBox label={t('searchSettings')} testId="search" value={search} onText={setSearch} />
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
            isFiltered={search.trim() !== '' || changedOnly}
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
  /** All groups are shown, as far as something in them is wanted. */
  readonly isFiltered: boolean;
  readonly restart: readonly string[];
  readonly save: Save;
}

function Groups({ settings, wanted, isFiltered, restart, save }: GroupsProps) {
  const byPurpose = useMemo(() => Map.groupBy(Object.keys(settings), purposeOf), [settings]);
  const named = useStore(route).split('/')[2];
  const [chosen, setChosen] = useState<Purpose>();
  // An address that names a setting opens its group.
  useEffect(() => setChosen(undefined), [named]);
  const groups = (Object.keys(purposes) as Purpose[])
    .map(
      (purpose) =>
        [purpose, (byPurpose.get(purpose) ?? []).filter((key) => wanted(key, settings[key]!))] as const,
    )
    .filter(([, keys]) => keys.length > 0);
  const open =
    chosen ?? (named !== undefined && named in settings ? purposeOf(named) : undefined) ?? groups[0]?.[0];
  if (groups.length === 0) return <EmptyState icon="search" words={t('noneFound')} />;
  const card = ([purpose, keys]: (typeof groups)[number]) => (
    <Card key={purpose} title={t(`purpose_${purpose}`)} class="settings">
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
  );
  // What is looked for is shown wherever it is.
  if (isFiltered) return <div class="wide found-settings">{groups.map(card)}</div>;
  return (
    <div class="wide indexed">
      <Group role="tablist" label={t('groups')} class="side-index" isVertical>
        {groups.map(([purpose, keys]) => (
          <button
            key={purpose}
            id={`group-${purpose}`}
            type="button"
            role="tab"
            class="ghost"
            aria-selected={purpose === open}
            data-testid={`group-${purpose}`}
            onClick={() => setChosen(purpose)}
          >
            <span>{t(`purpose_${purpose}`)}</span> <span class="hint">{keys.length}</span>
          </button>
        ))}
      </Group>
      <div role="tabpanel" aria-labelledby={`group-${open}`}>
        {groups.filter(([purpose]) => purpose === open).map(card)}
      </div>
    </div>
  );
}
