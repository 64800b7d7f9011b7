import { useEffect, useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import { t } from '../language.ts';
import { TextField } from '../ui/card.tsx';
import { useCall, useEvery } from '../ui/hooks.ts';
import { PairingQr } from '../ui/qr.tsx';
import { type StepProps, useSetting } from './steps.tsx';

const WAYS = ['demo', 'project', 'address'] as const;
type Way = (typeof WAYS)[number];
const TITLES = { demo: 'showDemo', project: 'showProject', address: 'showAddress' } as const;

/** How often it is looked whether a project has arrived, in milliseconds. */
const LOOK_EVERY_MS = 2_000;

/** What the panel shows from now on. */
export function ShowStep({ beforeNext }: StepProps) {
  const [way, setWay] = useState<Way>('demo');
  // The address reports its mistake before the wizard continues.
  if (way !== 'address') beforeNext(async () => true);
  return (
    <>
      <fieldset class="choices" aria-label={t('step_show')}>
        {WAYS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === way}
            data-testid={`show-${one}`}
            // The keyboard closes after the press, not within it: the button would move from under the finger.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => {
              if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
              setWay(one);
            }}
          >
            {t(TITLES[one])}
          </button>
        ))}
      </fieldset>
      {way === 'demo' && <p class="hint">{t('showDemoHint')}</p>}
      {way === 'project' && <ByPhone />}
      {way === 'address' && <ByAddress beforeNext={beforeNext} />}
    </>
  );
}

function ByPhone() {
  const { data: facts } = useCall<ResultOf<'panel.facts'>>('panel.facts');
  const projects = useCall<ResultOf<'projects.list'>>('projects.list');
  useEvery(LOOK_EVERY_MS, projects.reload);
  const arrived = projects.data?.projects[0];
  if (facts === undefined) return <p class="hint">{t('loading')}</p>;
  if (facts.addresses.length === 0) return <p class="warm">{t('noNetworkYet')}</p>;
  return (
    <div class="address">
      <PairingQr facts={facts} />
      <div class="grow">
        <p>{t('showProjectHint')}</p>
        <p class="hint">{facts.url}</p>
        <p class="good" role="status" data-testid="arrived">
          {arrived !== undefined && t('projectArrived', { name: arrived.name })}
        </p>
      </div>
    </div>
  );
}

function ByAddress({ beforeNext }: Pick<StepProps, 'beforeNext'>) {
  const kept = useSetting('kiosk.url');
  const [typed, setTyped] = useState<string>();
  const [mistake, setMistake] = useState('');
  const url = typed ?? (String(kept.value ?? '') || 'http://');
  useEffect(() => () => beforeNext(async () => true), []);
  beforeNext(async () => {
    try {
      await kept.save(url.trim());
      return true;
    } catch (error) {
      setMistake((error as Error).message);
      return false;
    }
  });
  return (
    <>
      <TextField
        label={t('pageUrl')}
        hint={t('showAddressHint')}
        value={url}
        onText={setTyped}
        testId="page-url"
        maxLength={2_000}
      />
      <p class="mistake" role="alert" data-testid="url-mistake">
        {mistake}
      </p>
    </>
  );
}
