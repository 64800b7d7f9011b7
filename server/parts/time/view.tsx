import { useId, useState } from 'preact/hooks';
import { ask } from '../../pages/manage/client/panel.ts';
import { t, timeText } from '../../pages/manage/language.ts';
import { Card, Facts, Field, Loading, Switch } from '../../pages/manage/ui/card.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import type { TimeState } from './contract.ts';

/** The clock of the panel and its time zone. */
export function Clock() {
  const state = useCall<TimeState>('time.state');
  const [zone, setZone] = useState<string>();
  const zones = useId();
  const change = async (params: { timeZone?: string; ntp?: boolean }) => {
    await attempt(() => ask('time.change', params), t('saved'));
    setZone(undefined);
    await state.reload();
  };
  return (
    <Card title={t('clock')}>
      <Loading of={state}>
        {({ now, timeZone, ntp, synchronized }) => (
          <>
            <Facts
              rows={[
                [t('clockNow'), timeText(now)],
                [t('clockSynchronized'), synchronized ? t('yes') : t('no')],
              ]}
            />
            <div class="row">
              <span class="grow">{t('clockNtp')}</span>
              <Switch label={t('clockNtp')} isOn={ntp} onChange={(wished) => void change({ ntp: wished })} />
            </div>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                void change({ timeZone: zone ?? timeZone });
              }}
            >
              <Field label={t('timeZone')}>
                <input
                  type="text"
                  list={zones}
                  data-testid="time-zone"
                  value={zone ?? timeZone}
                  onInput={({ currentTarget }) => setZone(currentTarget.value)}
                />
              </Field>
              <datalist id={zones}>
                {Intl.supportedValuesOf('timeZone').map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
              <button type="submit" disabled={zone === undefined || zone === timeZone}>
                {t('save')}
              </button>
            </form>
          </>
        )}
      </Loading>
    </Card>
  );
}
