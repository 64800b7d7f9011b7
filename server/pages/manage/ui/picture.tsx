import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, panel } from '../client/panel.ts';
import { t, timeText } from '../language.ts';
import { Problem } from './card.tsx';
import { useEvery } from './hooks.ts';
import { drawPicture, useLive } from './useLive.ts';

/** How often a new picture is taken where there is no live one, in milliseconds. */
const EVERY_MS = 5_000;

/** The panel's screen: live, or taken again and again for a token that may only look. */
export function Picture() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { state } = useLive(canvas);
  const isBusy = useRef(false);
  const [takenAt, setTakenAt] = useState<string>();
  const [error, setError] = useState<CallError>();
  const take = async () => {
    if (state !== 'none' || isBusy.current || error?.isMissing) return;
    isBusy.current = true;
    try {
      drawPicture(canvas.current, await createImageBitmap(await panel().media('kiosk.screenshot', {})));
      setTakenAt(new Date().toISOString());
      setError(undefined);
    } catch (failure) {
      if (failure instanceof CallError) setError(failure);
    } finally {
      isBusy.current = false;
    }
  };
  useEffect(() => void take(), [state]);
  useEvery(EVERY_MS, () => void take());
  const isThere = state === 'live' || takenAt !== undefined;
  return (
    <figure class="picture">
      <canvas ref={canvas} role="img" aria-label={t('picture')} data-testid="picture" hidden={!isThere} />
      {!isThere && <Problem error={error} />}
      <figcaption class="hint">
        {state === 'live' ? t('live') : takenAt !== undefined && t('pictureAt', { time: timeText(takenAt) })}
      </figcaption>
    </figure>
  );
}
