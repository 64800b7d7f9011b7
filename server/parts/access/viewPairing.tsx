import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { t, timeText } from '../../pages/manage/language.ts';
import { Card } from '../../pages/manage/ui/card.tsx';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import { CodesAreTried, Qr, useShownPairing } from '../../pages/manage/ui/qr.tsx';

/** A code that lets a phone or a colleague in. */
export function Pairing() {
  const [first, setFirst] = useState<ResultOf<'pairing.start'>>();
  const shown = useShownPairing();
  const other = shown?.code;
  // What was asked for before the person made another one is of no use.
  const made = first && other && other.expiresAt > first.expiresAt ? other : first;
  const make = () => attempt(async () => setFirst(await call('pairing.start')));
  return (
    <Card title={t('pairing')} wide>
      <p class="hint">{t('pairingHint')}</p>
      {made !== undefined && <CodesAreTried of={shown} />}
      {made !== undefined && (
        <div class="address">
          <Qr rows={rowsOf(made.url)} url={made.url} />
          <div class="grow">
            <p class="code" data-testid="code">
              {made.code}
            </p>
            <p class="big">{made.url}</p>
            <p class="hint">{t('codeUntil', { time: timeText(made.expiresAt) })}</p>
          </div>
        </div>
      )}
      <div class="row">
        <button type="button" class="primary" data-testid="make-code" onClick={() => void make()}>
          {t('makeCode')}
        </button>
      </div>
    </Card>
  );
}

/** With the quiet zone that ISO/IEC 18004 asks for. */
function rowsOf(url: string): string[] {
  return encode(url, { border: 4 }).data.map((row) => row.map((dark) => (dark ? '1' : '0')).join(''));
}
