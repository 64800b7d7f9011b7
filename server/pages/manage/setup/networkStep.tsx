import type { ResultOf } from '../../../contract/commands.ts';
import type { NetworkState } from '../../../parts/network/contract.ts';
import { Wifi } from '../../../parts/network/viewWifi.tsx';
import { hasText, t } from '../language.ts';
import { useCall } from '../ui/hooks.ts';

/** Whether the panel is in a network; Wi-Fi where it has one. */
export function NetworkStep() {
  const state = useCall<NetworkState>('network.state');
  const info = useCall<ResultOf<'system.info'>>('system.info');
  if (state.error !== undefined)
    return (
      <p data-testid="network-cannot">
        {t('networkCannot', { address: info.data?.address ?? '' })}{' '}
        <span class="hint">{state.error.message}</span>
      </p>
    );
  if (state.data === undefined) return <p class="hint">{t('loading')}</p>;
  const { interfaces } = state.data;
  return (
    <>
      <ul class="entries" data-testid="interfaces">
        {interfaces
          .filter(({ type }) => type !== 'other')
          .map(({ name, state: now, addresses }) => {
            const word = `net_${now}`;
            return (
              <li key={name}>
                <strong>{name}</strong>
                <span class={now === 'connected' ? 'good' : 'hint'}>{hasText(word) ? t(word) : now}</span>
                <span class="grow">{addresses.join(', ')}</span>
              </li>
            );
          })}
      </ul>
      {interfaces.some(({ type }) => type === 'wifi') && <Wifi onJoined={state.reload} />}
    </>
  );
}
