import { useState } from 'preact/hooks';
import { ask, CallError } from '../client/panel.ts';
import { t } from '../language.ts';
import { Loading } from '../ui/card.tsx';
import { showDialog } from '../ui/dialog.tsx';
import { useCall } from '../ui/hooks.ts';
import { notice } from '../ui/notice.tsx';
import { TextField } from '../ui/textField.tsx';

/** As `network.wifi` answers. */
interface WifiNetworks {
  readonly networks: readonly Wifi[];
}
interface Wifi {
  readonly ssid: string;
  readonly signal: number;
  readonly security: string;
  readonly active: boolean;
}

/** The Wi-Fi networks in reach, to join one. */
export function WifiList({ onJoined }: { onJoined: () => void }) {
  const list = useCall<WifiNetworks>('network.wifi');
  const [isSearching, setSearching] = useState(false);
  const search = async () => {
    setSearching(true);
    await list.reload();
    setSearching(false);
  };
  const join = async (wifi: Wifi) => {
    await showDialog('wifi', t('wifiJoin', { ssid: wifi.ssid }), (close) => (
      <Join
        wifi={wifi}
        close={close}
        onJoined={() => {
          notice(t('joined', { ssid: wifi.ssid }));
          onJoined();
          void list.reload();
        }}
      />
    ));
  };
  return (
    <section aria-label={t('wifiNetworks')}>
      <div class="row">
        <h2 class="grow">{t('wifiNetworks')}</h2>
        <button type="button" disabled={isSearching} onClick={() => void search()}>
          {t(isSearching ? 'wifiSearching' : 'wifiSearch')}
        </button>
      </div>
      <Loading of={list}>
        {({ networks }) => (
          <ul class="entries" data-testid="wifi">
            {networks.length === 0 && <li class="hint">{t('wifiNone')}</li>}
            {networks.map((wifi) => (
              <li key={wifi.ssid}>
                <span class="grow">
                  <strong>{wifi.ssid}</strong>{' '}
                  <span class="hint">{t('wifiSignal', { signal: wifi.signal })}</span>
                </span>
                {wifi.active ? (
                  <span class="good">{t('wifiActive')}</span>
                ) : (
                  <button
                    type="button"
                    aria-label={t('wifiJoin', { ssid: wifi.ssid })}
                    onClick={() => void join(wifi)}
                  >
                    {t('join')}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}

interface JoinProps {
  readonly wifi: Wifi;
  readonly close: () => void;
  readonly onJoined: () => void;
}

function Join({ wifi: { ssid, security }, close, onJoined }: JoinProps) {
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [mistake, setMistake] = useState('');
  const join = async () => {
    setBusy(true);
    setMistake('');
    try {
      await ask('network.join', { ssid, ...(security !== 'none' && { password }) });
      onJoined();
      close();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
      setBusy(false);
    }
  };
  return (
    <>
      <h2>{t('wifiJoin', { ssid })}</h2>
      {security !== 'none' && (
        <TextField
          label={t('wifiPassword', { ssid })}
          value={password}
          onText={setPassword}
          // Seen: a password that cannot be read is not typed on a wall.
          type="text"
          testId="wifi-password"
          maxLength={64}
        />
      )}
      <p class="mistake" role="alert">
        {mistake}
      </p>
      <div class="row end">
        <button type="button" onClick={close}>
          {t('cancel')}
        </button>
        <button
          type="button"
          class="primary"
          data-testid="wifi-join"
          disabled={isBusy}
          onClick={() => void join()}
        >
          {t(isBusy ? 'joining' : 'join')}
        </button>
      </div>
    </>
  );
}
