import { useState } from 'preact/hooks';
import type { TimeState } from '../../../parts/time/contract.ts';
import { ask } from '../client/panel.ts';
import { language, t } from '../language.ts';
import { Field } from '../ui/card.tsx';
import { useCall } from '../ui/hooks.ts';
import { attempt } from '../ui/notice.tsx';
import type { StepProps } from './step.ts';

/** All zones with a region, such as Europe/Berlin; those that are only a name come last. */
const ZONES = [...Intl.supportedValuesOf('timeZone'), 'UTC'];
const regionOf = (zone: string) => (zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : zone);
const cityOf = (zone: string) => zone.slice(zone.indexOf('/') + 1).replaceAll('_', ' ');
const REGIONS = [...new Set(ZONES.map(regionOf))];

/** The time zone: two short lists instead of one of 400. */
export function TimeStep({ beforeNext }: StepProps) {
  const state = useCall<TimeState>('time.state');
  const [chosen, setChosen] = useState<string>();
  const before = state.data?.timeZone;
  const zone = chosen ?? before ?? 'UTC';
  beforeNext(async () => {
    if (chosen === undefined || chosen === before) return true;
    return attempt(() => ask('time.change', { timeZone: chosen }));
  });
  if (state.error !== undefined)
    return (
      <p data-testid="time-cannot">
        {t('timeCannot')} <span class="hint">{state.error.message}</span>
      </p>
    );
  if (state.data === undefined) return <p class="hint">{t('loading')}</p>;
  const region = regionOf(zone);
  const cities = ZONES.filter((one) => regionOf(one) === region);
  // A zone that this browser does not know is kept.
  if (!cities.includes(zone)) cities.push(zone);
  return (
    <>
      <div class="row">
        <Field label={t('region')}>
          <select
            data-testid="region"
            value={region}
            onChange={({ currentTarget: { value } }) =>
              setChosen(ZONES.find((one) => regionOf(one) === value) ?? value)
            }
          >
            {[...new Set([...REGIONS, region])].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </Field>
        <Field label={t('city')}>
          <select
            data-testid="city"
            value={zone}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {cities.map((one) => (
              <option key={one} value={one}>
                {cityOf(one)}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <p class="big" data-testid="time-there">
        {t('timeNow', { time: timeIn(zone) })}
      </p>
    </>
  );
}

function timeIn(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(language.get(), { timeStyle: 'short', timeZone }).format(new Date());
  } catch {
    return '–';
  }
}
