import { useEffect, useRef, useState } from 'preact/hooks';
import { HttpPanel, signedOutBecause, signIn } from '../client/httpPanel.ts';
import { CallError, call } from '../client/panel.ts';
import { t } from '../language.ts';
import { Banner, Card, Field, TextField } from './card.tsx';
import { useStore } from './store.ts';

/** Where a browser shows who it is: by the code that the panel shows, or a token. */
export function SignIn({ code }: { code: string | undefined }) {
  const because = useStore(signedOutBecause);
  const [way, setWay] = useState<'code' | 'token'>('code');
  const other = way === 'code' ? 'token' : 'code';
  return (
    <main class="sign-in" aria-labelledby="view-title">
      <h1 id="view-title">{t('signInTitle')}</h1>
      {because === 'unknown' && <Banner kind="error" role="alert" words={t('signedOut')} />}
      {way === 'code' ? <Pairing given={code} /> : <TokenForm />}
      <button type="button" class="ghost" data-testid={`use-${other}`} onClick={() => setWay(other)}>
        {t(other === 'token' ? 'useToken' : 'useCode')}
      </button>
    </main>
  );
}

/** Digits of a code. */
const DIGITS = 8;

function Pairing({ given }: { given: string | undefined }) {
  const [code, setCode] = useState(given ?? '');
  const [name, setName] = useState(ownName());
  const { mistake, isBusy, run } = useTry();
  const pair = () =>
    run(async () => {
      const { token: made } = await call('pairing.finish', { code, name: name.trim() });
      signIn(made);
    });
  useEffect(() => {
    if (given !== undefined) void pair();
  }, []);
  return (
    <Card title={t('pairTitle')}>
      <PanelDrawing />
      <ol class="steps">
        <li>{t('pairOpen')}</li>
        <li>{t('pairMake')}</li>
        <li>{t('pairType')}</li>
      </ol>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void pair();
        }}
      >
        <Field label={t('pairCode')}>
          <DigitBoxes code={code} onCode={setCode} isWrong={mistake !== ''} />
        </Field>
        <p class="mistake" role="alert" data-testid="pair-mistake">
          {mistake}
        </p>
        <TextField
          label={t('ownName')}
          hint={t('ownNameHint')}
          value={name}
          onText={setName}
          testId="pair-name"
          maxLength={64}
        />
        <button
          type="submit"
          class="primary"
          data-testid="pair"
          disabled={isBusy || code.length < DIGITS || name.trim() === ''}
        >
          {t('signIn')}
        </button>
      </form>
    </Card>
  );
}

interface DigitsProps {
  readonly code: string;
  readonly onCode: (code: string) => void;
  readonly isWrong: boolean;
}

/** One field, drawn as a box for each digit, so that a code can be pasted and a screen reader reads one field. */
function DigitBoxes({ code, onCode, isWrong }: DigitsProps) {
  return (
    <span class={`digits ${isWrong ? 'wrong' : ''}`}>
      {Array.from({ length: DIGITS }, (_, at) => (
        <span key={at} class={at === Math.min(code.length, DIGITS - 1) ? 'now' : ''} aria-hidden="true">
          {code[at]}
        </span>
      ))}
      <input
        type="text"
        inputMode="numeric"
        autoComplete="one-time-code"
        pattern="[0-9]{8}"
        required
        aria-invalid={isWrong}
        data-testid="pair-code"
        value={code}
        onInput={({ currentTarget }) => {
          const digits = currentTarget.value.replace(/\D/g, '').slice(0, DIGITS);
          currentTarget.value = digits;
          onCode(digits);
        }}
      />
    </span>
  );
}

/** A panel on the wall with a code on it, and the phone that gets it. */
function PanelDrawing() {
  return (
    <svg class="drawing" viewBox="0 0 240 96" aria-hidden="true">
      <rect x="12" y="10" width="124" height="76" rx="8" />
      <rect x="22" y="20" width="104" height="56" rx="3" class="faint" />
      <path d="M38 36h10v10H38zM54 36h10v10H54zM38 52h10v10H38zM56 54h6M60 60h4" />
      <path d="M76 40h36M76 50h36M76 60h22" class="strong" />
      <path d="M146 48h34M172 40l8 8-8 8" class="strong" />
      <rect x="192" y="18" width="36" height="62" rx="6" />
      <path d="M200 48h4M207 48h4M214 48h4" class="strong" />
      <path d="M206 72h8" />
    </svg>
  );
}

function TokenForm() {
  const [text, setText] = useState('');
  const { mistake, isBusy, run } = useTry();
  const enter = () =>
    run(async () => {
      const door = new HttpPanel({ token: () => text.trim(), onUnknownToken: () => {} });
      try {
        await door.call('system.info', {});
      } catch (error) {
        // A token that may not read is one of this panel all the same.
        if (!(error instanceof CallError && error.code === 'FORBIDDEN')) throw error;
      }
      signIn(text.trim());
    });
  return (
    <Card title={t('token')}>
      <p class="hint">{t('signInHint')}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <Field label={t('token')}>
          <input
            type="password"
            autoComplete="current-password"
            required
            aria-invalid={mistake !== ''}
            data-testid="token-field"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Field>
        <p class="mistake" role="alert" data-testid="token-mistake">
          {mistake}
        </p>
        <button type="submit" class="primary" data-testid="sign-in" disabled={isBusy}>
          {t('signIn')}
        </button>
      </form>
    </Card>
  );
}

/** Tries something once at a time, and keeps what went wrong. */
function useTry() {
  const [mistake, setMistake] = useState('');
  const [isBusy, setBusy] = useState(false);
  const isThere = useRef(true);
  useEffect(
    () => () => {
      isThere.current = false;
    },
    [],
  );
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setMistake('');
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (isThere.current) setMistake(error.message);
    } finally {
      if (isThere.current) setBusy(false);
    }
  };
  return { mistake, isBusy, run };
}

/** What this browser calls itself until a person finds a better name. */
function ownName(): string {
  const [, system = 'Browser'] =
    /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(navigator.userAgent) ?? [];
  const [, browser = ''] = /(Firefox|Edg|Chrome|Safari)\//.exec(navigator.userAgent) ?? [];
  return [system, browser].filter((part) => part !== '').join(' ');
}
