import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../../config/contract.ts';
import type { ResultOf } from '../../../contract/commands.ts';
import type { PageStatus } from '../../../kiosk/settingsPage/contract.ts';
import type { NetworkInterface, NetworkState } from '../../../parts/network/contract.ts';
import { WifiList } from '../../../parts/network/viewWifi.tsx';
import type { TimeState } from '../../../parts/time/contract.ts';
import { ask, call, panel } from '../client/panel.ts';
import { hasText, language, languages, setLanguage, t, type Word } from '../language.ts';
import { TextField } from '../ui/card.tsx';
import { useCall } from '../ui/hooks.ts';
import { attempt } from '../ui/notice.tsx';
import { NewPinPad, Success } from '../ui/pinPad.tsx';
import { useStore } from '../ui/store.ts';

/** What a step does before the next one comes. @returns false to stay */
export type Leave = () => Promise<boolean>;

/** How a step is passed over, and what that means. */
export interface Skip {
  readonly label: Word;
  readonly hint: Word;
  /** The step has a button of its own, or nothing to continue with: this one takes the place of Next. */
  readonly instead: boolean;
}

export interface StepProps {
  /** Sets what to do when the person continues. */
  readonly beforeNext: (leave: Leave) => void;
  /** Offers to pass the step over; undefined: there is nothing to pass over. */
  readonly offerSkip: (skip: Skip | undefined) => void;
  readonly status: PageStatus;
  /** Asks for the status again. */
  readonly ask: () => Promise<void>;
}

/** A setting as the wizard knows it. */
interface Known {
  readonly isLoaded: boolean;
  readonly value: unknown;
  /** It was not set yet. */
  readonly isDefault: boolean;
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
    isDefault: entry?.source === 'default',
    save: async (value) => void (await call('settings.change', { [key]: value })),
  };
}

/** A drawing of 24 by 24 beside the words of a row. */
export function Sign({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

interface ChoiceProps {
  readonly isChosen: boolean;
  readonly testId: string;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
  readonly lang?: string;
}

/** One of several full-width rows; the chosen one has a tick. */
export function Choice({ isChosen, testId, onChoose, children, lang }: ChoiceProps) {
  return (
    <button
      type="button"
      class="choice"
      lang={lang}
      aria-pressed={isChosen}
      data-testid={testId}
      // The keyboard closes after the press, not within it: the button would move from under the finger.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => {
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        onChoose();
      }}
    >
      {children}
      {isChosen && <Sign path="M5 13l4.500 4.500L19 7" />}
    </button>
  );
}

/** The language of all that the panel itself says. */
export function LanguageStep() {
  const now = useStore(language);
  const kept = useSetting('device.language');
  const choose = async (code: string) => {
    await attempt(async () => {
      // A panel with a setting is not fresh any more: from here on the note says that it is being set up.
      if (panel().door === 'glass') await call('settingsPage.setup', { step: 'language' });
      await kept.save(code);
    });
    setLanguage(code);
  };
  return (
    <>
      <p class="lead">{t('languageLead')}</p>
      <div class="choices">
        {Object.entries(languages).map(([code, name]) => (
          <Choice
            key={code}
            lang={code}
            isChosen={code === now}
            testId={`language-${code}`}
            onChoose={() => void choose(code)}
          >
            <span class="grow">{name}</span>
          </Choice>
        ))}
      </div>
    </>
  );
}

const ROOMS = [
  'room_hall',
  'room_kitchen',
  'room_living',
  'room_office',
  'room_bedroom',
  'room_meeting',
] as const;

/** How the panel is called. Without a name it keeps that of its machine. */
export function NameStep({ beforeNext }: StepProps) {
  const kept = useSetting('device.name');
  const [typed, setTyped] = useState<string>();
  const [mistake, setMistake] = useState('');
  const before = kept.isDefault ? '' : String(kept.value ?? '');
  const name = typed ?? before;
  beforeNext(async () => {
    if (name.trim() === '' || name === before) return true;
    try {
      await kept.save(name.trim());
      return true;
    } catch (error) {
      setMistake((error as Error).message);
      return false;
    }
  });
  if (!kept.isLoaded) return <p class="hint">{t('loading')}</p>;
  return (
    <>
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        placeholder={String(kept.isDefault ? kept.value : '')}
        value={name}
        onText={setTyped}
        testId="device-name"
        maxLength={63}
      />
      <p class="mistake" role="alert" data-testid="name-mistake">
        {mistake}
      </p>
      <fieldset class="chips" aria-label={t('nameIdeas')}>
        {ROOMS.map((room) => (
          <button
            key={room}
            type="button"
            aria-pressed={name === t(room)}
            data-testid={room}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => setTyped(t(room))}
          >
            {t(room)}
          </button>
        ))}
      </fieldset>
    </>
  );
}

const SKIP_PIN: Skip = { label: 'pinSkip', hint: 'pinSkipHint', instead: true };
const SKIP_NETWORK: Skip = { label: 'networkSkip', hint: 'networkSkipHint', instead: true };

/** The PIN, now or later. */
export function PinStep({ status, ask, offerSkip }: StepProps) {
  const isMissing = status.pin === 'missing';
  useEffect(() => offerSkip(isMissing ? SKIP_PIN : undefined), [isMissing]);
  if (!isMissing) return <Success text={t('pinThere')} testId="pin-there" />;
  return (
    <NewPinPad
      save={async (pin) => {
        if (panel().door === 'glass') await call('settingsPage.setPin', { pin });
        else await call('settings.change', { 'kiosk.pin': pin });
      }}
      onDone={() => void ask()}
    />
  );
}

const WIRE = 'M4 4h16v10h-4v4H8v-4H4zM8 4v4M12 4v4M16 4v4';
const WAVES = 'M4 9a12 12 0 0 1 16 0M7 13a8 8 0 0 1 10 0M10 17a3 3 0 0 1 4 0';

/** Whether the panel is in a network; Wi-Fi where it has one. */
export function NetworkStep({ offerSkip }: StepProps) {
  const state = useCall<NetworkState>('network.state');
  const info = useCall<ResultOf<'system.info'>>('system.info');
  const interfaces = state.data?.interfaces.filter(({ type }) => type !== 'other') ?? [];
  const isOffline = state.data !== undefined && !interfaces.some(({ state: now }) => now === 'connected');
  useEffect(() => offerSkip(isOffline ? SKIP_NETWORK : undefined), [isOffline]);
  if (state.error !== undefined)
    return (
      <p data-testid="network-cannot">
        {t('networkCannot', { address: info.data?.address ?? '' })}{' '}
        <span class="hint">{state.error.message}</span>
      </p>
    );
  if (state.data === undefined) return <p class="hint">{t('loading')}</p>;
  return (
    <>
      <p class="lead">{t('networkLead')}</p>
      <ul class="interfaces" data-testid="interfaces">
        {interfaces.map((one) => (
          <Interface key={one.name} {...one} />
        ))}
      </ul>
      {interfaces.some(({ type }) => type === 'wifi') && <WifiList onJoined={state.reload} />}
    </>
  );
}

function Interface({ type, state, addresses, wifi }: NetworkInterface) {
  const word = `net_${state}`;
  const isUp = state === 'connected';
  return (
    <li>
      <Sign path={type === 'wifi' ? WAVES : WIRE} />
      <strong>{t(type === 'wifi' ? 'kind_wifi' : 'kind_ethernet')}</strong>
      <span class={isUp ? 'good' : 'hint'}>
        {[hasText(word) ? t(word) : state, wifi?.ssid].filter(Boolean).join(' · ')}
      </span>
      <span class="hint grow">{(addresses[0] ?? '').replace(/\/\d+$/, '')}</span>
    </li>
  );
}

const ZONES = [...Intl.supportedValuesOf('timeZone'), 'UTC'];
const cityOf = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
const regionOf = (zone: string) => (zone.includes('/') ? zone.slice(0, zone.indexOf('/')) : '');
const bare = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
/** Rows of a search at most. */
const MAX_ZONES = 6;
/** Where most people of a language live; an English one may be anywhere. */
const HOME_OF: Readonly<Record<string, string>> = { de: 'Europe/Berlin', es: 'Europe/Madrid' };

/** A fresh system has UTC: then the browser's zone (a phone knows it), else that of the language. */
function guess(system: string): string {
  if (!/^(?:Etc\/)?(?:UTC|UCT|GMT|Universal|Zulu)$/.test(system)) return system;
  const browser = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return browser.includes('/') && !browser.startsWith('Etc/') ? browser : (HOME_OF[language.get()] ?? system);
}

/** The time zone: a guess to say yes to, and a search. */
export function TimeStep({ beforeNext }: StepProps) {
  const state = useCall<TimeState>('time.state');
  const [chosen, setChosen] = useState<string>();
  const [wanted, setWanted] = useState('');
  const before = state.data?.timeZone ?? 'UTC';
  const zone = chosen ?? guess(before);
  beforeNext(async () => {
    if (state.data === undefined || zone === before) return true;
    return attempt(() => ask('time.change', { timeZone: zone }));
  });
  if (state.error !== undefined)
    return (
      <p data-testid="time-cannot">
        {t('timeCannot')} <span class="hint">{state.error.message}</span>
      </p>
    );
  if (state.data === undefined) return <p class="hint">{t('loading')}</p>;
  const found =
    wanted.trim() === ''
      ? []
      : ZONES.filter((one) => bare(one.replaceAll('_', ' ')).includes(bare(wanted.trim())));
  return (
    <>
      <div class="zone-now">
        <p class="big" data-testid="time-there">
          {t('timeNow', { time: timeIn(zone) })}
        </p>
        <p class="hint" data-testid="zone">
          {[cityOf(zone), regionOf(zone)].filter(Boolean).join(', ')}
        </p>
      </div>
      <TextField
        label={t('zoneSearch')}
        value={wanted}
        onText={setWanted}
        testId="zone-search"
        maxLength={60}
      />
      <div class="choices">
        {found.slice(0, MAX_ZONES).map((one) => (
          <Choice
            key={one}
            isChosen={one === zone}
            testId={`zone-${one}`}
            onChoose={() => {
              setChosen(one);
              setWanted('');
            }}
          >
            <span class="grow">
              {cityOf(one)} <span class="hint">{regionOf(one)}</span>
            </span>
            <span class="hint">{timeIn(one)}</span>
          </Choice>
        ))}
      </div>
      {wanted.trim() !== '' && found.length === 0 && <p class="hint">{t('zoneNone')}</p>}
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
