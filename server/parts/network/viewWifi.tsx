import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, CallError } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { Card, EmptyState, Field, Loading } from '../../pages/manage/ui/card.tsx';
import { showDialog } from '../../pages/manage/ui/dialog.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import type { WifiNetwork } from './contract.ts';

/** The Wi-Fi networks in reach, and joining one. */
export function Wifi({ onJoined }: { onJoined: () => Promise<void> }) {
  return (
    <Card title={t('wifi')}>
      <WifiList onJoined={onJoined} />
    </Card>
  );
}

/** The networks in reach as rows; each opens a sheet, in which it is joined. */
export function WifiList({ onJoined }: { onJoined: () => Promise<void> }) {
  const list = useCall<{ networks: WifiNetwork[] }>('network.wifi');
  const joined = async () => {
    await list.reload();
    await onJoined();
  };
  return (
    <>
      <Loading of={list}>
        {({ networks }) => (
          <ul class="networks" data-testid="wifi">
            {networks.length === 0 && (
              <li>
                <EmptyState icon="connections" words={t('noWifi')} />
              </li>
            )}
            {networks.map((network) => (
              <li key={network.ssid}>
                <Network {...network} onJoined={joined} />
              </li>
            ))}
          </ul>
        )}
      </Loading>
      <div class="row">
        <button
          type="button"
          class="quiet"
          data-testid="wifi-other"
          onClick={() => void showSheet(undefined, joined)}
        >
          {t('wifiOther')}
        </button>
        <button type="button" class="quiet" onClick={() => void list.reload()}>
          {t('refresh')}
        </button>
      </div>
    </>
  );
}

function Network({ onJoined, ...network }: WifiNetwork & { onJoined: () => Promise<void> }) {
  const { ssid, security, active } = network;
  const isOpen = security === 'none';
  const cannot = security === 'enterprise' || security === 'wep';
  const state = active ? t('wifiActive') : cannot ? t('wifiCannot') : isOpen ? t('wifiOpen') : '';
  return (
    <button
      type="button"
      class="network"
      data-testid={`wifi-${ssid}`}
      disabled={active || cannot}
      onClick={() => void showSheet(network, onJoined)}
    >
      <Bars signal={network.signal} />
      <strong class="grow">{ssid}</strong>
      <span class={active ? 'good' : 'hint'}>{state}</span>
      {!isOpen && <Lock />}
    </button>
  );
}

/** How strong it is, in three bars. */
function Bars({ signal }: { signal: number }) {
  const strength = signal >= 67 ? 3 : signal >= 34 ? 2 : 1;
  return (
    <svg class="bars" viewBox="0 0 24 24" role="img" aria-label={t('wifiSignal', { percent: signal })}>
      {[0, 1, 2].map((at) => (
        <rect
          key={at}
          class={at < strength ? 'on' : ''}
          x={3 + 7 * at}
          y={14 - 5 * at}
          width="4"
          height={6 + 5 * at}
          rx="1"
        />
      ))}
    </svg>
  );
}

function Lock() {
  return (
    <svg class="icon" viewBox="0 0 24 24" role="img" aria-label={t('wifiLocked')}>
      <path d="M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3" />
    </svg>
  );
}

/** @param network undefined: one that does not tell its name */
function showSheet(network: WifiNetwork | undefined, onJoined: () => Promise<void>): Promise<void> {
  const title = network?.ssid ?? t('wifiOther');
  return showDialog('wifi-sheet', title, (close) => (
    <Sheet title={title} network={network} close={close} onJoined={onJoined} />
  ));
}

interface SheetProps {
  readonly title: string;
  readonly network: WifiNetwork | undefined;
  readonly close: () => void;
  readonly onJoined: () => Promise<void>;
}

function Sheet({ title, network, close, onJoined }: SheetProps) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [mistake, setMistake] = useState('');
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const needsPassword = network?.security !== 'none';
  const join = async () => {
    setBusy(true);
    setMistake('');
    try {
      const ssid = network?.ssid ?? name;
      const params = {
        ssid,
        ...(password !== '' && { password }),
        ...(network === undefined && { hidden: true }),
      };
      await ask('network.join', params);
      close();
      await onJoined();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
      setBusy(false);
      first.current?.focus();
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void join();
      }}
    >
      <h2>{title}</h2>
      {network === undefined && (
        <Field label={t('wifiName')}>
          <input
            ref={first}
            type="text"
            autoComplete="off"
            spellcheck={false}
            maxLength={32}
            data-testid="wifi-name"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </Field>
      )}
      {needsPassword && (
        <Field label={t('password')}>
          <span class="with-eye">
            <input
              ref={network === undefined ? null : first}
              type={(isShown ? 'text' : 'password') as 'text'}
              autoComplete="off"
              spellcheck={false}
              maxLength={64}
              data-testid="wifi-password"
              value={password}
              onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            />
            <button
              type="button"
              class="eye"
              aria-label={t('wifiShowPassword')}
              aria-pressed={isShown}
              data-testid="wifi-eye"
              onClick={() => setShown(!isShown)}
            >
              <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
                <path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z" />
              </svg>
            </button>
          </span>
        </Field>
      )}
      <p class="mistake" role="alert" data-testid="wifi-mistake">
        {mistake}
      </p>
      <div class="row end">
        <button type="button" disabled={isBusy} onClick={close}>
          {t('cancel')}
        </button>
        <button
          type="submit"
          class="primary"
          data-testid="wifi-join"
          disabled={isBusy || (network === undefined && name === '')}
          aria-busy={isBusy}
        >
          {isBusy ? t('wifiJoining') : t('join')}
        </button>
      </div>
    </form>
  );
}
