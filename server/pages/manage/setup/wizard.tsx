import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageStatus, SetupStep } from '../../../kiosk/settingsPage/contract.ts';
import { call } from '../client/panel.ts';
import { t } from '../language.ts';
import { attempt } from '../ui/notice.tsx';
import { ShowStep } from './showStep.tsx';
import {
  LanguageStep,
  type Leave,
  NameStep,
  NetworkStep,
  PinStep,
  type StepProps,
  TimeStep,
} from './steps.tsx';

/** The contract's order; here only types of the contract may be imported. */
const STEPS: readonly SetupStep[] = ['language', 'name', 'pin', 'network', 'time', 'show', 'done'];

interface WizardProps {
  readonly status: PageStatus;
  readonly ask: () => Promise<void>;
  /** The person leaves, to go on another time. */
  readonly onLater: () => void;
}

/** The first set-up, by touch alone. The panel stores how far it is: it can be left and taken up again. */
export function Wizard({ status, ask, onLater }: WizardProps) {
  const [isBusy, setBusy] = useState(false);
  // The last step is not noted: with it the set-up is over, also for who has seen it.
  const [isAtEnd, setAtEnd] = useState(false);
  const leave = useRef<Leave | undefined>(undefined);
  const content = useRef<HTMLDivElement>(null);
  const step = isAtEnd ? 'done' : (status.setupStep ?? 'language');
  const at = STEPS.indexOf(step);
  // The next step begins at its top, and a screen reader continues there.
  useEffect(() => content.current?.focus(), [step]);
  const note = (to: SetupStep) => attempt(() => call('settingsPage.setup', { step: to }));
  const goTo = async (to: SetupStep) => {
    leave.current = undefined;
    setAtEnd(to === 'done');
    if (to !== 'done' && (await note(to))) await ask();
  };
  const next = async () => {
    if (step !== 'done') await goTo(STEPS[at + 1] ?? 'done');
    else if (await note('done')) await call('settingsPage.close');
  };
  const leaveStep = async () => {
    setBusy(true);
    if ((await leave.current?.()) ?? true) await next();
    setBusy(false);
  };
  const props: StepProps = {
    beforeNext: (work) => {
      leave.current = work;
    },
    status,
    next: () => void next(),
  };
  return (
    <main class="wizard" data-testid="wizard" data-step={step}>
      <header>
        <p class="hint">{t('stepOf', { step: at + 1, count: STEPS.length })}</p>
        <h1 data-testid="step-title">{t(`step_${step}`)}</h1>
        <progress max={STEPS.length} value={at + 1} aria-label={t('setup')} />
      </header>
      <div ref={content} class="step" key={step} tabIndex={-1}>
        <Step step={step} {...props} />
      </div>
      <footer>
        <button
          type="button"
          data-testid="setup-back"
          disabled={isBusy || at === 0}
          onClick={() => void goTo(STEPS[at - 1] ?? 'language')}
        >
          {t('back')}
        </button>
        <button type="button" class="quiet" data-testid="setup-later" onClick={onLater}>
          {t('later')}
        </button>
        <button
          type="button"
          class="primary"
          data-testid="setup-next"
          disabled={isBusy}
          onClick={() => void leaveStep()}
        >
          {t(step === 'done' ? 'finish' : 'next')}
        </button>
      </footer>
    </main>
  );
}

function Step({ step, ...props }: StepProps & { step: SetupStep }) {
  switch (step) {
    case 'language':
      return <LanguageStep />;
    case 'name':
      return <NameStep {...props} />;
    case 'pin':
      return <PinStep {...props} />;
    case 'network':
      return <NetworkStep />;
    case 'time':
      return <TimeStep {...props} />;
    case 'show':
      return <ShowStep {...props} />;
    case 'done':
      return <FiveFingers />;
  }
}

/** Where the fingers of a hand lie, on 24 by 24. */
const FINGERS = [
  [4, 15],
  [8, 7],
  [12.5, 5],
  [17, 7],
  [20.5, 11],
] as const;

/** How the settings are opened, as a picture and in words. */
function FiveFingers() {
  return (
    <div class="five-fingers" data-testid="five-fingers">
      <svg viewBox="0 0 24 20" aria-hidden="true">
        {FINGERS.map(([x, y]) => (
          <g key={x}>
            <circle class="ring" cx={x} cy={y} r="2.4" />
            <circle cx={x} cy={y} r="1.5" />
          </g>
        ))}
      </svg>
      <p class="big">{t('fiveFingers')}</p>
      <p class="hint">{t('fiveFingersHint')}</p>
    </div>
  );
}

/** Shown once over the first picture of a project; it also closes by itself. */
export function Hint() {
  return (
    <main class="wizard hint-page" data-testid="hint">
      <div class="step">
        <FiveFingers />
      </div>
      <footer>
        <button
          type="button"
          class="primary"
          data-testid="hint-ok"
          onClick={() => void call('settingsPage.close')}
        >
          {t('ok')}
        </button>
      </footer>
    </main>
  );
}
