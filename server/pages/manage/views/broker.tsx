import { useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import { t } from '../language.ts';
import { Card, Facts, Loading } from '../ui/card.tsx';
import { settingHomes } from '../ui/finder.ts';
import { useCall, useEvery } from '../ui/hooks.ts';
import { SettingsCard } from './settingRow.tsx';

type Info = ResultOf<'system.info'>;

/** How often the state of the connection is read, in milliseconds. */
const EVERY_MS = 2_000;
/** How many looks a test has until the connection must be there. */
const LOOKS = 5;

/** The broker and Home Assistant: whether the panel is connected, and what connects it. */
export function Broker() {
  const info = useCall<Info>('system.info');
  const [left, setLeft] = useState(0);
  useEvery(EVERY_MS, () => {
    void info.reload();
    setLeft((looks) => Math.max(looks - 1, 0));
  });
  return (
    <>
      <Card title={t('broker')} wide>
        <Loading of={info}>
          {({ mqtt: { state, reason, id, groups, entities } }) => (
            <>
              <p
                class={`big ${state === 'connected' && reason === null ? 'good' : state === 'off' ? '' : 'warm'}`}
                data-testid="mqtt-state"
                role="status"
              >
                {t(`mqtt_${state}`, { id })} {reason}
              </p>
              <Facts
                rows={[
                  [t('brokerEntities'), entities === null ? t('brokerNoDiscovery') : String(entities)],
                  [t('brokerGroups'), groups.join(', ')],
                ]}
              />
              <div class="row">
                <button
                  type="button"
                  data-testid="mqtt-test"
                  disabled={left > 0}
                  onClick={() => {
                    setLeft(LOOKS);
                    void info.reload();
                  }}
                >
                  {t('brokerTest')}
                </button>
                <output class="hint" data-testid="mqtt-tested">
                  {left > 0 && state !== 'connected' && t('brokerTesting')}
                  {left > 0 && state === 'connected' && t('brokerWorks')}
                </output>
              </div>
              <p class="hint">{t('brokerHint')}</p>
            </>
          )}
        </Loading>
      </Card>
      <SettingsCard title={t('brokerSettings')} keys={settingHomes['connections/broker']!} />
    </>
  );
}
