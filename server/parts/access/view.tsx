import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { ResultOf } from '../../contract/commands.ts';
import type { PageStatus } from '../../kiosk/settingsPage/contract.ts';
import { call, panel } from '../../pages/manage/client/panel.ts';
import { t, timeText } from '../../pages/manage/language.ts';
import { Card, Facts, Loading } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { attempt, copyText } from '../../pages/manage/ui/notice.tsx';
import { changePinAtPanel } from '../../pages/manage/ui/pinPad.tsx';
import { CodesAreTried, Qr, useShownPairing } from '../../pages/manage/ui/qr.tsx';
import { MoreSettings, TurnedOff } from '../../pages/manage/views/moreSettings.tsx';
import { ServerCertificates } from '../certificates/view.tsx';
import { Tokens } from './viewTokens.tsx';

/** Who may call, and how more are let in. */
export function People() {
  const isGlass = panel().door === 'glass';
  return (
    <>
      <Pairing />
      <Tokens />
      {isGlass && <OwnersToken />}
      {isGlass && <Pin />}
      <ServerCertificates />
      <MoreSettings path="people" title={t('permissionSettings')} />
    </>
  );
}

/** The usual port beside 8080. */
const HTTPS_PORT = 8443;

const HIDDEN = '•'.repeat(32);

/** Only the glass has it: a person there could read it from the disk as well. */
function OwnersToken() {
  const owner = useCall<{ token: string; held: boolean }>('token.show');
  const [isShown, setShown] = useState(false);
  const rotate = async () => {
    if (!(await confirmed(t('rotateSure'), t('rotateToken')))) return;
    if (!(await attempt(() => call('token.rotate'), t('rotated')))) return;
    await owner.reload();
    setShown(true);
  };
  return (
    <Card title={t('ownersToken')}>
      <p class="hint">{t('tokenHint')}</p>
      <Loading of={owner}>
        {({ token, held }) => (
          <>
            <code class="token" data-testid="token">
              {isShown ? token : HIDDEN}
            </code>
            {held && <p class="hint">{t('tokenHeld')}</p>}
            <div class="row">
              <button type="button" data-testid="show-token" onClick={() => setShown(!isShown)}>
                {isShown ? t('hideToken') : t('showToken')}
              </button>
              {isShown && (
                <button type="button" onClick={() => void copyText(token)}>
                  {t('copy')}
                </button>
              )}
              <button
                type="button"
                class="danger"
                data-testid="rotate-token"
                disabled={held}
                onClick={() => void rotate()}
              >
                {t('rotateToken')}
              </button>
            </div>
          </>
        )}
      </Loading>
    </Card>
  );
}

function Pin() {
  const status = useCall<PageStatus>('settingsPage.status');
  const isHeld = status.data?.pin === 'held';
  return (
    <Card title={t('pin')}>
      {isHeld && <p class="hint">{t('pinHeld')}</p>}
      <div class="row">
        <button
          type="button"
          data-testid="change-pin"
          disabled={isHeld}
          onClick={() => void changePinAtPanel()}
        >
          {t('changePin')}
        </button>
      </div>
    </Card>
  );
}

/** The certificate of HTTPS, or the button that turns HTTPS on. */
export function Https() {
  const info = useCall<{ https?: { port: number; fingerprint: string } | null }>('system.info');
  // A panel that knows nothing of HTTPS says nothing of it.
  if (info.data !== undefined && info.data.https === undefined) return null;
  return (
    <Loading of={info}>
      {({ https }) =>
        https ? (
          <Card title={t('httpsTitle')} wide>
            <Facts
              rows={[
                [t('port'), String(https.port)],
                [t('fingerprint'), <code class="fingerprint">{https.fingerprint}</code>],
              ]}
            />
          </Card>
        ) : (
          <TurnedOff
            title={t('httpsTitle')}
            icon="connections"
            words={t('httpsOff')}
            action={t('httpsTurnOn')}
            settings={{ 'https.port': HTTPS_PORT }}
            onDone={info.reload}
            testId="https-off"
          />
        )
      }
    </Loading>
  );
}

/** A code that lets a phone or a colleague in. */
function Pairing() {
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
