import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import { call, panel } from '../client/panel.ts';
import { t } from '../language.ts';
import { useEvery } from './hooks.ts';
import { Success } from './pinPad.tsx';

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

type ShownPairing = ResultOf<'panel.pairing'>;

/**
 * What became of the pairing code that the glass shows: undefined until it is known, and in a browser, which shows a code
 * of somebody who may have left.
 */
export function useShownPairing(): ShownPairing | undefined {
  return useGlassPairing().shown;
}

function useGlassPairing() {
  const [shown, setShown] = useState<ShownPairing>();
  const ask = (renew: boolean) => {
    // Between two answers, what was there stays.
    if (panel().door === 'glass') call('panel.pairing', { renew }).then(setShown, () => {});
  };
  useEvery(ASK_EVERY_MS, () => ask(false));
  return { shown, ask };
}

/** Somebody who is not here tries pairing codes. */
export function CodesAreTried({ of }: { of: ResultOf<'panel.pairing'> | undefined }) {
  return (
    <p class="warm" role="status" data-testid="codes-are-tried">
      {of?.isTried && t('codesAreTried')}
    </p>
  );
}

interface PairingQrProps {
  facts: Pick<ResultOf<'panel.facts'>, 'url'>;
  /** Words about the code, shown as long as there is one. */
  children?: ComponentChildren;
  /** Somebody is connected. */
  onPaired?: () => void;
}

/**
 * The QR code with the glass's pairing code, made when it is drawn: a person who scans it is signed in. It changes when that
 * code has ended, and says who has used it.
 */
export function PairingQr({ facts: { url }, children, onPaired }: PairingQrProps) {
  const { shown, ask } = useGlassPairing();
  useEffect(() => ask(true), []);
  const code = shown?.code;
  const isPaired = shown?.usedBy != null;
  useEffect(() => {
    if (isPaired) onPaired?.();
  }, [isPaired]);
  return (
    <div class="pairing-qr">
      {code && <Qr rows={code.qr} url={url} />}
      {code !== null && children}
      <Success text={isPaired ? t('pairedNow', { name: shown.usedBy! }) : ''} testId="paired" />
      {shown !== undefined && code === null && (
        <button type="button" data-testid="pair-another" onClick={() => ask(true)}>
          {t('pairAnother')}
        </button>
      )}
      <CodesAreTried of={shown} />
    </div>
  );
}
