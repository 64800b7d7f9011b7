import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageStatus } from '../../../kiosk/settingsPage/contract.ts';
import { CallError, call } from '../client/panel.ts';
import { t } from '../language.ts';
import { showDialog } from './dialog.tsx';
import { notice } from './notice.tsx';

const MIN = 4;
const MAX = 8;

/** Drawings of the two keys that are no digits, and of success; on 24 by 24. */
const ERASE = 'M9 5h12v14H9l-6-7zM12 9l6 6M18 9l-6 6';
const TICK = 'M5 13l4.500 4.500L19 7';

interface PinPadProps {
  readonly title: string;
  readonly hint: string;
  readonly message: string;
  /** Accepts no digits for now. */
  readonly isLocked?: boolean;
  /** What the last key does, for a screen reader. */
  readonly action?: string;
  /** Gets each entered PIN. */
  readonly onPin: (pin: string) => void;
}

/** A pad of digits, the same wherever a PIN is asked for. Keys of a keyboard work too. Digits are counted, never said. */
function PinPad({ title, hint, message, isLocked = false, action = t('ok'), onPin }: PinPadProps) {
  // A card reader types faster than the page renders: keys read what was typed, not what is shown.
  const typed = useRef('');
  const [pin, setPin] = useState('');
  const [isFresh, setFresh] = useState(true);
  const set = (now: string) => {
    typed.current = now;
    setPin(now);
  };
  const add = (digit: string) => {
    if (isLocked) return;
    setFresh(false);
    if (typed.current.length < MAX) set(typed.current + digit);
  };
  const erase = () => set(typed.current.slice(0, -1));
  const enter = () => {
    const whole = typed.current;
    if (isLocked || whole.length < MIN) return;
    set('');
    setFresh(true);
    onPin(whole);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (/^\d$/.test(event.key)) add(event.key);
      else if (event.key === 'Backspace') erase();
      else if (event.key === 'Enter') {
        // The button that has the focus must not be pressed as well.
        event.preventDefault();
        enter();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  const key = (digit: string) => (
    <button key={digit} type="button" data-testid={`pin-${digit}`} onClick={() => add(digit)}>
      {digit}
    </button>
  );
  return (
    <section class={`pin ${isLocked ? 'locked' : ''}`} data-testid="pin-pad">
      <div class="pin-words">
        <h2 data-testid="pin-title">{title}</h2>
        <p class="hint">{hint}</p>
        <div
          class="dots"
          role="img"
          aria-live="polite"
          aria-label={t('pinDigits', { count: pin.length })}
          data-testid="pin-dots"
        >
          {Array.from({ length: Math.max(MIN, pin.length) }, (_, at) => (
            <span key={at} class={at < pin.length ? 'dot filled' : 'dot'} />
          ))}
        </div>
        <p class="pin-message" role="alert" data-testid="pin-message">
          {isFresh || isLocked ? message : ''}
        </p>
      </div>
      <div class="keys">
        {[...'123456789'].map(key)}
        <button type="button" data-testid="pin-erase" aria-label={t('erase')} onClick={erase}>
          <Drawing path={ERASE} />
        </button>
        {key('0')}
        <button
          type="button"
          class="primary"
          data-testid="pin-ok"
          aria-label={action}
          disabled={isLocked || pin.length < MIN}
          onClick={enter}
        >
          <Drawing path={TICK} />
        </button>
      </div>
    </section>
  );
}

function Drawing({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** That it worked, with a tick. @param text empty until it has: a screen reader reads what changes */
export function Success({ text, testId }: { text: string; testId: string }) {
  return (
    <p class="success" role="status" data-testid={testId}>
      {text !== '' && <Drawing path={TICK} />}
      {text}
    </p>
  );
}

/** A pad that asks for a new PIN twice. @param save stores it; its error is shown */
export function NewPinPad({ save, onDone }: { save: (pin: string) => Promise<void>; onDone: () => void }) {
  const [first, setFirst] = useState('');
  const [message, setMessage] = useState('');
  const take = async (pin: string) => {
    if (first === '') {
      setFirst(pin);
      setMessage('');
      return;
    }
    setFirst('');
    if (first !== pin) {
      setMessage(t('pinsDiffer'));
      return;
    }
    try {
      await save(pin);
      onDone();
    } catch (error) {
      setMessage((error as Error).message);
    }
  };
  return (
    <PinPad
      title={first === '' ? t('setPinTitle') : t('repeatPin')}
      hint={t('setPinHint')}
      message={message}
      action={first === '' ? t('next') : t('setPin')}
      onPin={(pin) => void take(pin)}
    />
  );
}

/** A dialog on the glass for another PIN. */
export function changePinAtPanel(): Promise<void> {
  return showDialog('pin-dialog', t('changePin'), (close) => (
    <>
      <NewPinPad
        save={async (pin) => void (await call('settingsPage.changePin', { pin }))}
        onDone={() => {
          close();
          notice(t('pinChanged'));
        }}
      />
      <div class="row end">
        <button type="button" onClick={close}>
          {t('cancel')}
        </button>
      </div>
    </>
  ));
}

/** The pad before everything else on the glass, until the PIN is right, or chosen. */
export function LockScreen({ status, onOpen }: { status: PageStatus; onOpen: () => void }) {
  if (status.pin === 'closed') return <NoPinAnyMore url={status.manageUrl} />;
  if (status.pin !== 'missing') return <UnlockPad first={status} onOpen={onOpen} />;
  const save = async (pin: string) => void (await call('settingsPage.setPin', { pin }));
  return <NewPinPad save={save} onDone={onOpen} />;
}

/** No PIN was chosen after the start of the panel, and from now on none can be: a passer-by must not choose it. */
function NoPinAnyMore({ url }: { url: string | null }) {
  return (
    <section class="pin" data-testid="pin-closed">
      <div class="pin-words">
        <h2 data-testid="pin-title">{t('pinClosed')}</h2>
        <p class="hint">{t('pinClosedHint')}</p>
        {url !== null && <p>{t('pinClosedBrowser', { url })}</p>}
      </div>
    </section>
  );
}

function UnlockPad({ first, onOpen }: { first: PageStatus; onOpen: () => void }) {
  const [message, setMessage] = useState('');
  const [until, setUntil] = useState(() => performance.now() + first.waitSeconds * 1_000);
  const [left, setLeft] = useState(first.waitSeconds);
  useEffect(() => {
    const tell = () => setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1_000)));
    tell();
    const timer = setInterval(tell, 250);
    return () => clearInterval(timer);
  }, [until]);
  const unlock = async (pin: string) => {
    try {
      await call('settingsPage.unlock', { pin });
      onOpen();
    } catch (error) {
      const isWrong = error instanceof CallError && error.code === 'FORBIDDEN';
      setMessage(isWrong ? t('wrongPin') : (error as Error).message);
      const { waitSeconds } = await call('settingsPage.status');
      setUntil(performance.now() + waitSeconds * 1_000);
    }
  };
  return (
    <PinPad
      title={t('unlockTitle')}
      hint={t('unlockHint')}
      message={left > 0 ? t('waitPin', { seconds: left }) : message}
      isLocked={left > 0}
      onPin={(pin) => void unlock(pin)}
    />
  );
}
