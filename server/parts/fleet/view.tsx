import { useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../config/contract.ts';
import type { ResultOf } from '../../contract/commands.ts';
import { t } from '../../pages/manage/language.ts';
import { Loading } from '../../pages/manage/ui/card.tsx';
import { useCall, useEvent, useEvery } from '../../pages/manage/ui/hooks.ts';
import { SettingsCard } from '../../pages/manage/views/settingsCard.tsx';
import { FleetList } from './viewList.tsx';
import { FleetProfile } from './viewProfile.tsx';
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
        const entry = all['mqtt.fleet'];
        return entry !== undefined && 'value' in entry && entry.value === true ? <Others /> : <Off />;
      }}
    </Loading>
  );
}

function Off() {
  return (
    <SettingsCard
      title={t('fleetOff')}
      hint={t('fleetOffHint')}
      keys={['mqtt.fleet', 'mqtt.url', 'mqtt.username', 'mqtt.password', 'mqtt.groups']}
    />
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
      <FleetProfile
        onTaken={(params) => setDraft({ made: Date.now(), command: 'settings.change', params })}
      />
    </>
  );
}
