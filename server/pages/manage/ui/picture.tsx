import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, panel } from '../client/panel.ts';
import { t, timeText } from '../language.ts';
import { Problem } from './card.tsx';
import { useEvery } from './hooks.ts';

/** How often a new picture is taken, in milliseconds. */
const EVERY_MS = 5_000;

/** The panel's screen, taken again and again while somebody looks. The glass has it in front of it already. */
export function Picture() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isBusy = useRef(false);
  const [takenAt, setTakenAt] = useState<string>();
  const [error, setError] = useState<CallError>();
  const take = async () => {
    if (isBusy.current || error?.isMissing) return;
    isBusy.current = true;
    try {
      const bitmap = await createImageBitmap(await panel().media('kiosk.screenshot', {}));
      draw(canvas.current, bitmap);
      setTakenAt(new Date().toISOString());
      setError(undefined);
    } catch (failure) {
      if (failure instanceof CallError) setError(failure);
    } finally {
      isBusy.current = false;
    }
  };
  useEffect(() => void take(), []);
  useEvery(EVERY_MS, () => void take());
  return (
    <figure class="picture">
      <canvas
        ref={canvas}
        role="img"
        aria-label={t('picture')}
        data-testid="picture"
        hidden={takenAt === undefined}
      />
      {takenAt === undefined ? (
        <Problem error={error} />
      ) : (
        <figcaption class="hint">{t('pictureAt', { time: timeText(takenAt) })}</figcaption>
      )}
    </figure>
  );
}

/** Draws a picture in its own size; the page's style fits it to its place. */
export function draw(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): void {
  if (canvas === null) return;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
}
