import { useEffect, useRef, useState } from 'preact/hooks';
import { HttpPanel, signedOutBecause, signIn } from '../client/httpPanel.ts';
import { CallError, call } from '../client/panel.ts';
import { t } from '../language.ts';
import { Card, Field } from './card.tsx';
import { useStore } from './store.ts';

/** Where a browser shows who it is: by a pairing code of the panel, or a token. */
export function SignIn({ code }: { code: string | undefined }) {
  const because = useStore(signedOutBecause);
  return (
    <main class="sign-in" aria-labelledby="view-title">
      <h1 id="view-title">{t('signInTitle')}</h1>
      {because === 'unknown' && (
        <p class="mistake" role="alert">
          {t('signedOut')}
        </p>
      )}
      <Pairing given={code} />
      <TokenForm />
    </main>
  );
}

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
      <p class="hint">{t('pairHint')}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void pair();
        }}
      >
        <Field label={t('pairCode')}>
          <input
            type="text"
            inputMode="numeric"
            autoComplete="off"
            pattern="[0-9]{8}"
            maxLength={8}
            required
            data-testid="pair-code"
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
        </Field>
        <Field label={t('ownName')} hint={t('ownNameHint')}>
          <input
            type="text"
            maxLength={64}
            required
            data-testid="pair-name"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </Field>
        <p class="mistake" role="alert" data-testid="pair-mistake">
          {mistake}
        </p>
        <button type="submit" class="primary" data-testid="pair" disabled={isBusy}>
          {t('pair')}
        </button>
      </form>
    </Card>
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
