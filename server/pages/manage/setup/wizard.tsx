import { useEffect, useRef, useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import type { PageStatus, SetupStep } from '../../../kiosk/settingsPage/contract.ts';
import { call, panel } from '../client/panel.ts';
import { t } from '../language.ts';
import { useCall } from '../ui/hooks.ts';
import { attempt } from '../ui/notice.tsx';
import { store, useStore } from '../ui/store.ts';
import { PhoneStep, ShowStep } from './showStep.tsx';
import {
  LanguageStep,
  type Leave,
  NameStep,
  NetworkStep,
  PinStep,
  Sign,
  type Skip,
  type StepProps,
  TimeStep,
} from './steps.tsx';

/** The contract's order; here only types of the contract may be imported. */
const STEPS: readonly SetupStep[] = ['language', 'name', 'network', 'time', 'pin', 'show', 'phone', 'done'];

const LEFT = 'M15 5l-7 7 7 7';

interface WizardProps {
  readonly status: PageStatus;
  readonly ask: () => Promise<void>;
  /** The person leaves, to go on another time. */
  readonly onLater: () => void;
  /** Remembers the step that is opened; `done` ends the set-up. @returns whether it could */
  readonly note: (step: SetupStep) => Promise<boolean>;
  readonly steps?: readonly SetupStep[];
}

/** The first set-up on the glass. The panel stores how far it is: it can be left and taken up again. */
export function GlassWizard(props: Omit<WizardProps, 'note'>) {
  const note = async (step: SetupStep) => {
    const isNoted = await attempt(() => call('settingsPage.setup', { step }));
    if (isNoted && step === 'done') await call('settingsPage.close');
    return isNoted;
  };
  return <Wizard {...props} note={note} />;
}

/** Where this browser remembers how far its person is. */
const STORED = 'setup';
/** How far the person at a phone is; undefined: no code of a first set-up has paired it, or all is done. */
const phoneStep = store(remembered());

function remembered(): SetupStep | undefined {
  try {
    const step = sessionStorage.getItem(STORED);
    return STEPS.find((one) => one === step);
  } catch {
    return undefined;
  }
}

function remember(step: SetupStep | undefined): void {
  try {
    if (step === undefined) sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, step);
  } catch {
    // It holds until the page is closed.
  }
  phoneStep.set(step);
}

/** The code of a first set-up has paired this browser. */
export function beginOnPhone(): void {
  remember(phoneStep.get() ?? 'language');
}

/** How far the person at this phone is in the set-up. */
export const usePhoneStep = (): SetupStep | undefined => useStore(phoneStep);

/** The same steps on the phone that the set-up's code has paired. What they change, the panel has at once. */
export function PhoneWizard({ step }: { step: SetupStep }) {
  const { data, reload } = useCall<ResultOf<'pin.state'>>('pin.state');
  const status: PageStatus = {
    mode: 'setup',
    setupStep: step,
    pin: data?.pin ?? 'set',
    locked: false,
    waitSeconds: 0,
    manageUrl: null,
  };
  const note = async (to: SetupStep) => {
    remember(to === 'done' ? undefined : to);
    return true;
  };
  return (
    <Wizard
      status={status}
      ask={async () => reload()}
      steps={STEPS.filter((one) => one !== 'phone')}
      note={note}
      onLater={() => remember(undefined)}
    />
  );
}

/** By touch alone. */
function Wizard({ status, ask, onLater, note, steps = STEPS }: WizardProps) {
  const [isBusy, setBusy] = useState(false);
  // The last step is not noted: with it the set-up is over, also for who has seen it.
  const [isAtEnd, setAtEnd] = useState(false);
  const [skip, setSkip] = useState<Skip>();
  const leave = useRef<Leave | undefined>(undefined);
  const content = useRef<HTMLDivElement>(null);
  const step = isAtEnd ? 'done' : (status.setupStep ?? 'language');
  const at = steps.indexOf(step);
  // The next step begins at its top, and a screen reader continues there.
  useEffect(() => content.current?.focus(), [step]);
  const goTo = async (to: SetupStep) => {
    leave.current = undefined;
    setSkip(undefined);
    setAtEnd(to === 'done');
    if (to !== 'done' && (await note(to))) await ask();
  };
  const next = async () => {
    if (step !== 'done') await goTo(steps[at + 1] ?? 'done');
    else await note('done');
  };
  const busy = async (work: () => Promise<unknown>) => {
    setBusy(true);
    await work();
    setBusy(false);
  };
  const leaveStep = async () => {
    if ((await leave.current?.()) ?? true) await next();
  };
  const props: StepProps = {
    beforeNext: (work) => {
      leave.current = work;
    },
    offerSkip: setSkip,
    status,
    ask,
  };
  return (
    <main class="wizard" data-testid="wizard" data-step={step}>
      <header>
        <button
          type="button"
          class="quiet"
          data-testid="setup-back"
          aria-label={t('back')}
          disabled={isBusy || at === 0}
          onClick={() => void goTo(steps[at - 1] ?? 'language')}
        >
          <Sign path={LEFT} />
        </button>
        <p class="progress-dots" role="img" aria-label={t('stepOf', { step: at + 1, count: steps.length })}>
          {steps.map((one, place) => (
            <span key={one} class={place === at ? 'now' : place < at ? 'past' : ''} />
          ))}
        </p>
        {step === 'done' ? (
          <span />
        ) : (
          <button type="button" class="quiet" data-testid="setup-later" onClick={onLater}>
            {t('later')}
          </button>
        )}
      </header>
      <div ref={content} class="step" key={step} tabIndex={-1}>
        <div class="step-column">
          {step === 'language' && <img class="mark" src="icon.svg" alt="Faceplate" />}
          <h1 data-testid="step-title">{step === 'done' ? <ReadyTitle /> : t(`step_${step}`)}</h1>
          <Step step={step} {...props} />
        </div>
      </div>
      <footer>
        {skip !== undefined && <p class="hint">{t(skip.hint)}</p>}
        <div class="actions">
          {skip !== undefined && (
            <button
              type="button"
              class={skip.instead ? '' : 'quiet'}
              data-testid={skip.instead ? 'setup-next' : 'setup-skip'}
              disabled={isBusy}
              onClick={() => void busy(next)}
            >
              {t(skip.label)}
            </button>
          )}
          {skip?.instead !== true && (
            <button
              type="button"
              class="primary"
              data-testid="setup-next"
              disabled={isBusy}
              aria-busy={isBusy}
              onClick={() => void busy(leaveStep)}
            >
              {t(step !== 'done' ? 'next' : panel().door === 'glass' ? 'finish' : 'finishPhone')}
            </button>
          )}
        </div>
      </footer>
    </main>
  );
}

function ReadyTitle() {
  const { data } = useCall<{ name: string }>('system.info');
  return <>{data && t('step_done', { name: data.name })}</>;
}

function Step({ step, ...props }: StepProps & { step: SetupStep }) {
  switch (step) {
    case 'language':
      return <LanguageStep />;
    case 'name':
      return <NameStep {...props} />;
    case 'network':
      return <NetworkStep {...props} />;
    case 'time':
      return <TimeStep {...props} />;
    case 'pin':
      return <PinStep {...props} />;
    case 'show':
      return <ShowStep {...props} />;
    case 'phone':
      return <PhoneStep {...props} />;
    case 'done':
      return <Ready />;
  }
}

const MOON = 'M20 14a8 8 0 1 1-10-10 7 7 0 0 0 10 10z';
const PHONE = 'M7 3h10v18H7zM11 18h2';

/** What comes next, in three tiles. */
function Ready() {
  return (
    <div class="tiles">
      <div class="tile" data-testid="five-fingers">
        <Fingers />
        <div>
          <strong>{t('doneSettings')}</strong>
          <p class="hint">{t('fiveFingers')}</p>
        </div>
      </div>
      <div class="tile" data-testid="done-address">
        <Sign path={PHONE} />
        <div>
          <strong>{t('doneManage')}</strong>
          <p class="hint">{panel().door === 'glass' ? <GlassAddress /> : `${location.origin}/manage/`}</p>
        </div>
      </div>
      <div class="tile">
        <Sign path={MOON} />
        <div>
          <strong>{t('doneNight')}</strong>
          <p class="hint">{t('doneNightHint')}</p>
        </div>
      </div>
    </div>
  );
}

/** The address for browsers in the house, which the glass itself does not use. */
function GlassAddress() {
  const { data: facts } = useCall<ResultOf<'panel.facts'>>('panel.facts');
  return <>{facts && `${facts.url}/manage/`}</>;
}

/** Where the fingers of a hand lie, on 24 by 24. */
const FINGERS = [
  [4, 15],
  [8, 7],
  [12.5, 5],
  [17, 7],
  [20.5, 11],
] as const;

function Fingers() {
  return (
    <svg class="fingers" viewBox="0 0 24 20" aria-hidden="true">
      {FINGERS.map(([x, y]) => (
        <g key={x}>
          <circle class="ring" cx={x} cy={y} r="2.4" />
          <circle cx={x} cy={y} r="1.5" />
        </g>
      ))}
    </svg>
  );
}

/** Shown once over the first picture of a project; it also closes by itself. */
export function Hint() {
  return (
    <main class="wizard hint-page" data-testid="hint">
      <div class="step">
        <div class="step-column five-fingers">
          <Fingers />
          <p class="big">{t('fiveFingers')}</p>
          <p class="hint">{t('fiveFingersHint')}</p>
        </div>
      </div>
      <footer>
        <div class="actions">
          <button
            type="button"
            class="primary"
            data-testid="hint-ok"
            onClick={() => void call('settingsPage.close')}
          >
            {t('ok')}
          </button>
        </div>
      </footer>
    </main>
  );
}
