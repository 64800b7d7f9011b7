import { useEffect, useRef, useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import { CallError, call, panel } from '../client/panel.ts';
import { t } from '../language.ts';
import { TextField } from '../ui/card.tsx';
import { useCall, useEvery } from '../ui/hooks.ts';
import { PairingQr } from '../ui/qr.tsx';
import { Choice, Sign, type Skip, type StepProps, useSetting } from './steps.tsx';

const HOME = 'M3 11l9-8 9 8M6 9v11h12V9M12 20v-6';
const GLOBE = 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c-6 6-6 12 0 18M12 3c6 6 6 12 0 18';
const UP = 'M4 16v4h16v-4M12 15V4M7 9l5-5 5 5';
const PLAY = 'M4 4h16v16H4zM10 8.500l6 3.500-6 3.500z';

/** How often it is looked whether a project has arrived, in milliseconds. */
const LOOK_EVERY_MS = 2_000;
/** How long a person pauses before what they typed is looked at, in milliseconds. */
const PAUSE_MS = 700;

/** What is chosen: a page that was found is named by its address. */
type Way = 'demo' | 'project' | 'address' | `found ${string}`;

/** What the panel shows from now on. */
export function ShowStep(props: StepProps) {
  const kept = useSetting('kiosk.url');
  const found = useCall<ResultOf<'setup.find'>>('setup.find');
  const [way, setWay] = useState<Way>();
  if (!kept.isLoaded) return <p class="hint">{t('loading')}</p>;
  const before = String(kept.value ?? '');
  const pages = found.data?.pages ?? [];
  const isListed = pages.some(({ url }) => url === before);
  const now = way ?? (before === '' ? 'demo' : isListed ? (`found ${before}` as const) : 'address');
  // The address reports its mistake before the wizard continues.
  if (now !== 'address')
    props.beforeNext(async () => {
      const url = now.startsWith('found ') ? now.slice('found '.length) : '';
      if (url !== before) await kept.save(url);
      return true;
    });
  const isOnGlass = panel().door === 'glass';
  const choice = (one: Way, path: string, title: string, hint: string) => (
    <Choice key={one} isChosen={one === now} testId={`show-${one}`} onChoose={() => setWay(one)}>
      <Sign path={path} />
      <span class="grow">
        <strong>{title}</strong>
        <span class="hint">{hint}</span>
      </span>
    </Choice>
  );
  return (
    <fieldset class="choices" aria-label={t('step_show')}>
      {pages.map(({ name, url }) => choice(`found ${url}`, HOME, `Home Assistant: ${name}`, url))}
      {found.data === undefined && found.error === undefined && (
        <p class="hint" role="status">
          {t('showSearching')}
        </p>
      )}
      {choice('address', GLOBE, t('showPage'), t('showPageHint'))}
      {now === 'address' && <ByAddress {...props} before={before} save={kept.save} />}
      {choice('project', UP, t('showProject'), t(isOnGlass ? 'showProjectHint' : 'showProjectLater'))}
      {choice('demo', PLAY, t('showDemo'), t('showDemoHint'))}
    </fieldset>
  );
}

type Probed = ResultOf<'setup.probe'>;

interface ByAddressProps extends StepProps {
  readonly before: string;
  readonly save: (url: string) => Promise<void>;
}

function ByAddress({ beforeNext, before, save }: ByAddressProps) {
  const [typed, setTyped] = useState(before);
  const [mistake, setMistake] = useState('');
  const [probed, setProbed] = useState<Probed & { readonly of: string }>();
  const [isAsking, setAsking] = useState(false);
  const latest = useRef(typed);
  latest.current = typed;
  const look = async (): Promise<Probed | undefined> => {
    const of = typed.trim();
    if (of === '') {
      setMistake(t('addressWanted'));
      return undefined;
    }
    setAsking(true);
    try {
      const answer = await call('setup.probe', { url: of });
      if (latest.current.trim() === of) setProbed({ ...answer, of });
      return answer;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (latest.current.trim() === of)
        setMistake(error.code === 'INVALID_REQUEST' ? t('addressWanted') : error.message);
      return undefined;
    } finally {
      setAsking(false);
    }
  };
  useEffect(() => {
    if (typed.trim() === '') return undefined;
    const timer = setTimeout(() => void look(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => () => beforeNext(async () => true), []);
  const known = probed?.of === typed.trim() ? probed : undefined;
  beforeNext(async () => {
    const answer = known ?? (await look());
    // Where nothing answers, the person sees that first; the next press uses it anyway.
    if (answer === undefined || (answer.reason !== null && known === undefined)) return false;
    try {
      await save(answer.url);
      return true;
    } catch (error) {
      setMistake((error as Error).message);
      return false;
    }
  });
  return (
    <div class="by-address">
      <TextField
        label={t('showAddress')}
        placeholder="homeassistant.local:8123"
        type="url"
        value={typed}
        onText={(text) => {
          setTyped(text);
          setMistake('');
        }}
        testId="page-url"
        maxLength={2_000}
      />
      <p class="mistake" role="alert" data-testid="url-mistake">
        {mistake}
      </p>
      <p class={known?.reason == null ? 'good' : 'warm'} role="status" data-testid="url-probed">
        {mistake === '' &&
          (isAsking ? <span class="hint">{t('addressAsked')}</span> : known && wordsOf(known))}
      </p>
    </div>
  );
}

function wordsOf({ url, title, reason }: Probed): string {
  return reason === null ? t('addressFound', { title: title ?? url }) : t('addressSilent', { url });
}

const SKIP_PHONE: Skip = { label: 'phoneSkip', hint: 'phoneSkipHint', instead: false };

/** The phone as the panel's remote control: a code to scan, and what came of it. */
export function PhoneStep({ offerSkip }: StepProps) {
  const { data: facts } = useCall<ResultOf<'panel.facts'>>('panel.facts');
  const projects = useCall<ResultOf<'projects.list'>>('projects.list');
  useEvery(LOOK_EVERY_MS, projects.reload);
  const arrived = projects.data?.projects[0];
  useEffect(() => offerSkip(SKIP_PHONE), []);
  if (facts === undefined) return <p class="hint">{t('loading')}</p>;
  if (facts.addresses.length === 0) return <p class="warm">{t('noNetworkYet')}</p>;
  return (
    <div class="phone-step">
      <PairingQr facts={facts} onPaired={() => offerSkip(undefined)}>
        <div>
          <p>{t('phoneLead')}</p>
          <p class="hint">{t('phoneProject')}</p>
          <p class="hint">{facts.url}</p>
        </div>
      </PairingQr>
      <p class="good" role="status" data-testid="arrived">
        {arrived !== undefined && t('projectArrived', { name: arrived.name })}
      </p>
    </div>
  );
}
