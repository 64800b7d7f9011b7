import { useEffect, useState } from 'preact/hooks';
import { ask } from '../../pages/manage/client/panel.ts';
import { hasText, t } from '../../pages/manage/language.ts';
import { Banner, Card, Facts, Field, Loading } from '../../pages/manage/ui/card.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import { MoreSettings } from '../../pages/manage/views/moreSettings.tsx';
import { Https } from '../access/view.tsx';
import { Clock } from '../time/view.tsx';
import type { NetworkInterface, NetworkState } from './contract.ts';
import { Wifi } from './viewWifi.tsx';

/** Seconds until a change that is not confirmed is taken back. */
const CONFIRM_SECONDS = 60;

/** Addresses, Wi-Fi and the clock. */
export function Network() {
  const state = useCall<NetworkState>('network.state');
  const [until, setUntil] = useState<number>();
  return (
    <>
      {until !== undefined && (
        <Confirm
          until={until}
          onEnd={() => {
            setUntil(undefined);
            void state.reload();
          }}
        />
      )}
      <Card title={t('interfaces')} wide>
        <Loading of={state}>
          {({ hostname, connectivity, interfaces }) => (
            <>
              <Facts
                rows={[
                  [t('hostName'), hostname],
                  [t('connectivity'), reachText(connectivity)],
                ]}
              />
              <ul class="entries" data-testid="interfaces">
                {interfaces.map((one) => (
                  <Interface
                    key={one.name}
                    {...one}
                    onChanged={() => {
                      setUntil(performance.now() + CONFIRM_SECONDS * 1_000);
                      void state.reload();
                    }}
                  />
                ))}
              </ul>
            </>
          )}
        </Loading>
      </Card>
      <Wifi onJoined={state.reload} />
      <Clock />
      <Https />
      <MoreSettings path="connections/network" title={t('networkSettings')} />
    </>
  );
}

function reachText(connectivity: string): string | undefined {
  const word = `connectivity_${connectivity}`;
  return hasText(word) ? t(word) : undefined;
}

/** That the network wants a login first; for the first view of the app. */
export function Portal() {
  const state = useCall<NetworkState>('network.state');
  if (state.data?.connectivity !== 'portal') return null;
  return <Banner role="alert" testId="portal" words={t('connectivity_portal')} />;
}

/** The change holds for a minute; who still reaches the panel keeps it. */
function Confirm({ until, onEnd }: { until: number; onEnd: () => void }) {
  const [left, setLeft] = useState(CONFIRM_SECONDS);
  useEffect(() => {
    const timer = setInterval(() => {
      const seconds = Math.ceil((until - performance.now()) / 1_000);
      setLeft(seconds);
      if (seconds <= 0) onEnd();
    }, 250);
    return () => clearInterval(timer);
  }, [until]);
  const keep = async () => {
    if (await attempt(() => ask('network.confirm'), t('networkKept'))) onEnd();
  };
  return (
    <Banner
      role="alert"
      testId="confirm-network"
      words={t('networkConfirm', { seconds: left })}
      action={
        <button type="button" class="primary" onClick={() => void keep()}>
          {t('networkKeep')}
        </button>
      }
    />
  );
}

function Interface({ onChanged, ...one }: NetworkInterface & { onChanged: () => void }) {
  const { name, type, state, mac, addresses, gateway, dns, wifi } = one;
  return (
    <li data-testid={`interface-${name}`}>
      <div class="grow">
        <strong>{name}</strong>
        <span class={`badge ${state === 'connected' ? 'good' : 'warm'}`}>{state}</span>
        <Facts
          rows={[
            [t('kind'), type],
            [t('wifi'), wifi === null ? undefined : `${wifi.ssid} (${wifi.signal} %)`],
            [t('address'), addresses.join(', ')],
            [t('gateway'), gateway],
            ['DNS', dns.join(', ')],
            ['MAC', mac],
          ]}
        />
        {state !== 'unmanaged' && <Change {...one} onChanged={onChanged} />}
      </div>
    </li>
  );
}

function Change({
  name,
  method,
  addresses,
  gateway,
  dns,
  onChanged,
}: NetworkInterface & { onChanged: () => void }) {
  const [first = '', prefix = '24'] = (addresses.find((one) => one.includes('.')) ?? '').split('/');
  const [fields, setFields] = useState({
    isManual: method === 'manual',
    address: first,
    prefix,
    gateway: gateway ?? '',
    dns: dns.join(', '),
  });
  const { isManual } = fields;
  const change = async () => {
    const servers = fields.dns.split(/[\s,]+/).filter((one) => one !== '');
    const params = {
      interface: name,
      method: isManual ? 'manual' : 'auto',
      ...(isManual && { address: fields.address.trim(), prefix: Number(fields.prefix) }),
      ...(isManual && fields.gateway.trim() !== '' && { gateway: fields.gateway.trim() }),
      ...(isManual && servers.length > 0 && { dns: servers }),
    };
    if (await attempt(() => ask('network.change', params))) onChanged();
  };
  const field = (key: 'address' | 'prefix' | 'gateway' | 'dns', label: string) => (
    <Field label={label}>
      <input
        type="text"
        inputMode="decimal"
        autoComplete="off"
        value={fields[key]}
        onInput={({ currentTarget }) => setFields({ ...fields, [key]: currentTarget.value })}
      />
    </Field>
  );
  return (
    <details>
      <summary>{t('change')}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void change();
        }}
      >
        <label class="check">
          <input
            type="checkbox"
            checked={!isManual}
            onChange={({ currentTarget }) => setFields({ ...fields, isManual: !currentTarget.checked })}
          />
          {t('networkAuto')}
        </label>
        {isManual && (
          <div class="row">
            {field('address', t('address'))}
            {field('prefix', t('prefix'))}
            {field('gateway', t('gateway'))}
            {field('dns', 'DNS')}
          </div>
        )}
        <p class="hint">{t('networkHint')}</p>
        <div class="row">
          <button type="submit" class="danger">
            {t('change')}
          </button>
        </div>
      </form>
    </details>
  );
}
