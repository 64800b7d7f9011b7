import { useEffect, useRef, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../../config/contract.ts';
import type { ResultOf } from '../../../contract/commands.ts';
import type { PageStatus } from '../../../kiosk/settingsPage/contract.ts';
import type { NetworkState } from '../../../parts/network/contract.ts';
import { Wifi } from '../../../parts/network/viewWifi.tsx';
import type { TimeState } from '../../../parts/time/contract.ts';
import { ask, call } from '../client/panel.ts';
import { hasText, language, languages, setLanguage, t } from '../language.ts';
import { Field, TextField } from '../ui/card.tsx';
import { useCall } from '../ui/hooks.ts';
import { attempt } from '../ui/notice.tsx';
import { NewPinPad } from '../ui/pinPad.tsx';
import { useStore } from '../ui/store.ts';

/** What a step does before the next one comes. @returns false to stay */
export type Leave = () => Promise<boolean>;

export interface StepProps {
  /** Sets what to do when the person continues. */
  readonly beforeNext: (leave: Leave) => void;
  readonly status: PageStatus;
  /** Continues by itself. */
  readonly next: () => void;
}

/** A setting as the wizard knows it. */
interface Known {
  readonly isLoaded: boolean;
  readonly value: unknown;
  /** @throws CallError with the panel's sentence */
  readonly save: (value: unknown) => Promise<void>;
}

/** One setting. */
export function useSetting(key: string): Known {
  const answer = useCall<SettingsAnswer>('settings.read');
  const entry = answer.data?.settings[key];
  return {
    isLoaded: answer.data !== undefined,
    value: entry !== undefined && 'value' in entry ? entry.value : undefined,
    save: async (value) => void (await call('settings.change', { [key]: value })),
  };
}

/** The language of all that the panel itself says. */
export function LanguageStep() {
  const now = useStore(language);
  const kept = useSetting('device.language');
  const choose = async (code: string) => {
    await attempt(async () => {
      // A panel with a setting is not fresh any more: from here on the note says that it is being set up.
      await call('settingsPage.setup', { step: 'language' });
      await kept.save(code);
    });
    setLanguage(code);
  };
  return (
    <div class="choices">
      {Object.entries(languages).map(([code, name]) => (
        <button
          key={code}
          type="button"
          lang={code}
          aria-pressed={code === now}
          data-testid={`language-${code}`}
          onClick={() => void choose(code)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** How the panel is called. */
export function NameStep({ beforeNext }: StepProps) {
  const kept = useSetting('device.name');
  const [typed, setTyped] = useState<string>();
  const [mistake, setMistake] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const name = typed ?? String(kept.value ?? '');
  beforeNext(async () => {
    if (typed === undefined || typed === kept.value) return true;
    try {
      await kept.save(typed.trim());
      return true;
    } catch (error) {
      setMistake((error as Error).message);
      return false;
    }
  });
  useEffect(() => field.current?.focus(), [kept.isLoaded]);
  if (!kept.isLoaded) return <p class="hint">{t('loading')}</p>;
  return (
    <>
      <TextField
        input={field}
        label={t('name')}
        hint={t('nameHint')}
        value={name}
        onText={setTyped}
        testId="device-name"
        maxLength={63}
      />
      <p class="mistake" role="alert" data-testid="name-mistake">
        {mistake}
      </p>
    </>
  );
}

/** The PIN, now or later. */
export function PinStep({ status, next }: StepProps) {
  if (status.pin === 'held') return <p>{t('pinHeld')}</p>;
  if (status.pin === 'set') return <p data-testid="pin-there">{t('pinThere')}</p>;
  return (
    <>
      <p class="hint">{t('pinLater')}</p>
      <NewPinPad save={async (pin) => void (await call('settingsPage.setPin', { pin }))} onDone={next} />
    </>
  );
}

/** Whether the panel is in a network; Wi-Fi where it has one. */
export function NetworkStep() {
  const state = useCall<NetworkState>('network.state');
  const info = useCall<ResultOf<'system.info'>>('system.info');
  if (state.error !== undefined)
    return (
      <p data-testid="network-cannot">
        {t('networkCannot', { address: info.data?.address ?? '' })}{' '}
        <span class="hint">{state.error.message}</span>
      </p>
    );
  if (state.data === undefined) return <p class="hint">{t('loading')}</p>;
  const { interfaces } = state.data;
  return (
    <>
      <ul class="entries" data-testid="interfaces">
        {interfaces
          .filter(({ type }) => type !== 'other')
          .map(({ name, state: now, addresses }) => {
            const word = `net_${now}`;
            return (
              <li key={name}>
                <strong>{name}</strong>
                <span class={now === 'connected' ? 'good' : 'hint'}>{hasText(word) ? t(word) : now}</span>
                <span class="grow">{addresses.join(', ')}</span>
              </li>
            );
          })}
      </ul>
      {interfaces.some(({ type }) => type === 'wifi') && <Wifi onJoined={state.reload} />}
    </>
  );
}

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
  // A zone that this browser does not know stays.
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
