import type { ResultOf } from '../../../contract/commands.ts';
import { t } from '../language.ts';
import { Card, Facts, Loading } from './card.tsx';
import { useCall } from './hooks.ts';
import { PairingQr } from './pairingQr.tsx';

/** Where the panel is found in the network, for a person who stands before it. */
export function PanelAddress() {
  const facts = useCall<ResultOf<'panel.facts'>>('panel.facts');
  return (
    <Card title={t('address')} wide>
      <Loading of={facts}>
        {(all) => {
          const { url, name, addresses, port, versions } = all;
          return (
            <div class="address">
              <PairingQr facts={all} />
              <div class="grow">
                <p class="big" data-testid="address">
                  {url}
                </p>
                <p class="hint">{t('addressHint')}</p>
                <Facts
                  rows={[
                    [t('hostName'), name],
                    ['IP', addresses.join(', ') || t('none')],
                    [t('port'), String(port)],
                    ...Object.entries(versions),
                  ]}
                />
              </div>
            </div>
          );
        }}
      </Loading>
    </Card>
  );
}
