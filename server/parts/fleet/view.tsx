import { useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../config/contract.ts';
import type { ResultOf } from '../../contract/commands.ts';
import type { Params } from '../../pages/manage/client/panel.ts';
import { settingName, t } from '../../pages/manage/language.ts';
import { isChanged, type SettingEntry, valueText } from '../../pages/manage/settingValue.ts';
import { Card, Loading } from '../../pages/manage/ui/card.tsx';
import { useCall, useEvent, useEvery } from '../../pages/manage/ui/hooks.ts';
import { addressOf } from '../../pages/manage/ui/route.ts';
import { MoreSettings, TurnedOff } from '../../pages/manage/views/moreSettings.tsx';
import { mayShare } from './viewFacts.ts';
import { FleetList } from './viewList.tsx';
import { type Draft, NewRollout } from './viewRollout.tsx';
import { Rollouts } from './viewRollouts.tsx';

/** Panels are read anew this often, in milliseconds: what others say is no event of this panel. */
const READ_EVERY_MS = 5_000;

/** The other panels, and what is rolled out to them. */
export function Fleet() {
  const settings = useCall<SettingsAnswer>('settings.read');
  useEvery(READ_EVERY_MS, settings.reload);
  return (
    <Loading of={settings}>
      {({ settings: all }) => {
        const settingOf = (key: string) => {
          const entry = all[key];
          return entry !== undefined && 'value' in entry ? entry.value : undefined;
        };
        if (settingOf('mqtt.fleet') === true) return <Others />;
        return <Off hasBroker={Boolean(settingOf('mqtt.url'))} reload={settings.reload} />;
      }}
    </Loading>
  );
}

function Off({ hasBroker, reload }: { hasBroker: boolean; reload: () => Promise<void> }) {
  return (
    <TurnedOff
      title={t('fleetOff')}
      icon="fleet"
      words={t('fleetOffHint')}
      action={t('fleetTurnOn')}
      settings={{ 'mqtt.fleet': true }}
      onDone={reload}
    >
      {!hasBroker && <a href={addressOf('connections/broker')}>{t('fleetToBroker')}</a>}
    </TurnedOff>
  );
}

function Others() {
  const list = useCall<ResultOf<'fleet.list'>>('fleet.list');
  const rollouts = useCall<ResultOf<'fleet.rollouts'>>('fleet.rollouts');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [draft, setDraft] = useState<Draft>();
  useEvery(READ_EVERY_MS, list.reload);
  useEvent('rollout', (event) => {
    if ((event as { panel: unknown }).panel === null) void rollouts.reload();
  });
  return (
    <>
      <Loading of={list}>
        {({ panels }) => (
          <>
            <FleetList panels={panels} selected={selected} onSelected={setSelected} />
            <NewRollout
              key={draft?.made ?? 0}
              panels={panels}
              selected={selected}
              draft={draft}
              onBegun={rollouts.reload}
            />
          </>
        )}
      </Loading>
      <Loading of={rollouts}>
        {(answer) => (
          <Rollouts
            rollouts={answer.rollouts}
            onAgain={(ids, command, params) => {
              setSelected(new Set(ids));
              setDraft({ made: Date.now(), command, params });
            }}
          />
        )}
      </Loading>
      <MoreSettings path="fleet" title={t('fleetSettings')} />
      <FleetProfile
        onTaken={(params) => setDraft({ made: Date.now(), command: 'settings.change', params })}
      />
    </>
  );
}

/** Settings of one place rather than of all panels: they are offered, but not chosen by default. */
const PLACE = /^(?:mqtt\.|kiosk\.headless$)/;

interface ProfileProps {
  readonly onTaken: (settings: Params) => void;
}

/** Settings of this panel for others: what is not as by default comes first. */
function FleetProfile({ onTaken }: ProfileProps) {
  const answer = useCall<SettingsAnswer>('settings.read');
  return (
    <Card title={t('profile')} wide>
      <p class="hint">{t('profileHint')}</p>
      <Loading of={answer}>
        {({ settings }) => <Choice settings={settings as Record<string, SettingEntry>} onTaken={onTaken} />}
      </Loading>
    </Card>
  );
}

function Choice({ settings, onTaken }: ProfileProps & { settings: Readonly<Record<string, SettingEntry>> }) {
  const shared = Object.entries(settings).filter(([key, entry]) => mayShare(key, entry));
  const changed = shared.filter(([, entry]) => isChanged(entry));
  const others = shared.filter(([, entry]) => !isChanged(entry));
  const [left, setLeft] = useState<ReadonlySet<string>>(
    () => new Set(changed.map(([key]) => key).filter((key) => !PLACE.test(key))),
  );
  const check = ([key, entry]: readonly [string, SettingEntry]) => (
    <label key={key} class="check">
      <input
        type="checkbox"
        data-testid={`profile-${key}`}
        checked={left.has(key)}
        onChange={({ currentTarget }) => {
          const next = new Set(left);
          if (currentTarget.checked) next.add(key);
          else next.delete(key);
          setLeft(next);
        }}
      />
      <span class="grow">
        {settingName(key)} <code class="key">{key}</code>
        <span class="hint profile-value">
          {valueText(entry.value) || t('empty')}
          {isChanged(entry) && ` – ${t('defaultIs', { value: valueText(entry.default) || t('empty') })}`}
        </span>
      </span>
    </label>
  );
  const take = () => {
    const chosen = shared.filter(([key]) => left.has(key));
    // By default means by default there too, whatever that is in another version.
    onTaken(Object.fromEntries(chosen.map(([key, entry]) => [key, isChanged(entry) ? entry.value : null])));
  };
  return (
    <>
      {changed.length === 0 && <p class="hint">{t('profileNone')}</p>}
      <div data-testid="profile-changed">{changed.map(check)}</div>
      <details>
        <summary>{t('profileOthers', { count: others.length })}</summary>
        {others.map(check)}
      </details>
      <div class="row">
        <button type="button" data-testid="profile-take" disabled={left.size === 0} onClick={take}>
          {t('profileTake', { count: left.size })}
        </button>
      </div>
    </>
  );
}
