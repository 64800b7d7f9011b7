import { useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import { call, panel } from '../client/panel.ts';
import { t } from '../language.ts';
import { useEvery } from './hooks.ts';

/** The dark squares of a QR code on white. @param rows of 0 and 1 */
export function Qr({ rows, url }: { rows: readonly string[]; url: string }) {
  const squares = rows.flatMap((row, y) =>
    [...row].map((bit, x) => (bit === '1' ? `M${x} ${y}h1v1h-1z` : '')),
  );
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={t('qrOf', { url })}
      data-testid="qr"
    >
      <path d={squares.join('')} />
    </svg>
  );
}

/** How often the glass asks what became of its code, in milliseconds. */
const ASK_EVERY_MS = 2_000;

/**
 * What became of the pairing code that the glass shows: undefined until it is known, and in a browser, which shows a code
 * of somebody who may have left.
 */
export function useShownPairing(): ResultOf<'panel.pairing'> | undefined {
  const [shown, setShown] = useState<ResultOf<'panel.pairing'>>();
  useEvery(ASK_EVERY_MS, () => {
    // Between two answers, what was there stays.
    if (panel().door === 'glass') call('panel.pairing').then(setShown, () => {});
  });
  return shown;
}

/** Somebody who is not here tries pairing codes. */
export function CodesAreTried({ of }: { of: ResultOf<'panel.pairing'> | undefined }) {
  return (
    <p class="warm" role="status" data-testid="codes-are-tried">
      {of?.isTried && t('codesAreTried')}
    </p>
  );
}

/** The QR code with the glass's pairing code: a person who scans it is signed in. It changes when that code has ended. */
export function PairingQr({ facts: { qr, url } }: { facts: ResultOf<'panel.facts'> }) {
  const shown = useShownPairing();
  return (
    <div>
      <Qr rows={shown?.code?.qr ?? qr} url={url} />
      <CodesAreTried of={shown} />
    </div>
  );
}
