import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { rowOf } from '../client/commandTable.ts';
import { type LiveInput, LiveScreen, type Size } from '../client/live.ts';
import { panel } from '../client/panel.ts';

/** Whether this door and this panel have a live picture at all. */
export function hasLive(): boolean {
  return panel().door === 'browser' && rowOf('kiosk.live') !== undefined;
}

interface Live {
  /** `none`: it could not begin, or ended and does not come back by itself. */
  readonly state: 'connecting' | 'live' | 'none';
  /** Of the page. */
  readonly size: Size | undefined;
  send(input: LiveInput): void;
  again(): void;
}

/** The live picture in a canvas, for as long as the component is there. */
export function useLive(canvas: RefObject<HTMLCanvasElement | null>): Live {
  const [state, setState] = useState<Live['state']>(hasLive() ? 'connecting' : 'none');
  const [size, setSize] = useState<Size>();
  const [attempts, setAttempts] = useState(0);
  const screen = useRef<LiveScreen>(undefined);
  useEffect(() => {
    if (!hasLive()) return;
    let isOver = false;
    const live = new LiveScreen({
      async picture(jpeg) {
        const bitmap = await createImageBitmap(jpeg).catch(() => undefined);
        if (isOver || bitmap === undefined) return;
        drawPicture(canvas.current, bitmap);
        setState('live');
      },
      size: setSize,
      ended: () => setState('none'),
    });
    screen.current = live;
    return () => {
      isOver = true;
      live.end();
    };
  }, [attempts]);
  return {
    state,
    size,
    send: (input) => screen.current?.send(input),
    again() {
      setState('connecting');
      setAttempts((count) => count + 1);
    },
  };
}

/** Draws a picture in its own size; the page's style fits it to its place. */
export function drawPicture(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): void {
  if (canvas === null) return;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
}
