import { useState } from 'preact/hooks';
import { ask } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { Card, Field, Loading } from '../../pages/manage/ui/card.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import type { WifiNetwork } from './contract.ts';

/** The Wi-Fi networks in reach, and joining one. */
export function Wifi({ onJoined }: { onJoined: () => Promise<void> }) {
  const list = useCall<{ networks: WifiNetwork[] }>('network.wifi');
  return (
    <Card title={t('wifi')}>
      <Loading of={list}>
        {({ networks }) => (
          <ul class="entries" data-testid="wifi">
            {networks.length === 0 && <li class="hint">{t('noWifi')}</li>}
            {networks.map((network) => (
              <Network
                key={network.ssid}
                {...network}
                onJoined={async () => {
                  await list.reload();
                  await onJoined();
                }}
              />
            ))}
          </ul>
        )}
      </Loading>
      <div class="row">
        <button type="button" onClick={() => void list.reload()}>
          {t('refresh')}
        </button>
      </div>
    </Card>
  );
}

function Network({
  ssid,
  signal,
  security,
  active,
  onJoined,
}: WifiNetwork & { onJoined: () => Promise<void> }) {
  const [password, setPassword] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const join = async () => {
    setBusy(true);
    const params = { ssid, ...(password !== '' && { password }) };
    if (await attempt(() => ask('network.join', params), t('wifiJoined', { name: ssid }))) {
      setOpen(false);
      setPassword('');
      await onJoined();
    }
    setBusy(false);
  };
  return (
    <li>
      <div class="grow">
        <strong>{ssid}</strong>
        {active && <span class="badge good">{t('wifiActive')}</span>}
        <p class="hint">{`${signal} % · ${security === 'none' ? t('wifiOpen') : security.toUpperCase()}`}</p>
      </div>
      {!active && !isOpen && (
        <button type="button" aria-label={`${t('join')}: ${ssid}`} onClick={() => setOpen(true)}>
          {t('join')}
        </button>
      )}
      {isOpen && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void join();
          }}
        >
          {security !== 'none' && (
            <Field label={t('password')}>
              <input
                type="password"
                autoComplete="off"
                value={password}
                onInput={({ currentTarget }) => setPassword(currentTarget.value)}
              />
            </Field>
          )}
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? t('loading') : t('join')}
          </button>
        </form>
      )}
    </li>
  );
}
