import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isLeft } from '../client/httpPanel.ts';
import { CallError, panel } from '../client/panel.ts';
import { rowOf } from '../client/requests.ts';
import { t, timeText } from '../language.ts';
import { Problem } from './card.tsx';
import { useEvery } from './hooks.ts';
import { useStore } from './store.ts';

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
  const away = useStore(isLeft);
  const screen = useRef<LiveScreen>(undefined);
  useEffect(() => {
    if (!hasLive()) return;
    // A page that was left takes no place among the viewers; it connects again on the way back.
    if (away) return setState('connecting');
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
  }, [attempts, away]);
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
function drawPicture(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): void {
  if (canvas === null) return;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
}

/** What a viewer may do to the page from afar. */
export type LiveInput =
  | { readonly type: 'down' | 'move' | 'up' | 'tap'; readonly x: number; readonly y: number }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'key'; readonly key: string };

interface Size {
  readonly width: number;
  readonly height: number;
}

interface LiveListener {
  picture(jpeg: Blob): void;
  /** Of the page, in its pixels; a picture may be smaller. */
  size(size: Size): void;
  /** It ended, or never began. @param isRevoked the token is no longer good */
  ended(isRevoked: boolean): void;
}

const PATH = '/api/manage/screen';
const PROTOCOL = 'faceplate.screen';
/** The close code of a token that was revoked. */
const REVOKED = 4401;

/** The page, live: pictures come, touches and keys go. */
class LiveScreen {
  readonly #socket: WebSocket | undefined;

  constructor(listener: LiveListener) {
    const socket = panel().socket(PATH, PROTOCOL);
    this.#socket = socket;
    if (socket === undefined) return;
    socket.binaryType = 'blob';
    socket.onmessage = ({ data }: MessageEvent<Blob | string>) => {
      if (typeof data !== 'string') listener.picture(data);
      else {
        const told = JSON.parse(data) as { type: string } & Size;
        if (told.type === 'size') listener.size({ width: told.width, height: told.height });
      }
    };
    socket.onclose = ({ code }) => listener.ended(code === REVOKED);
  }

  send(input: LiveInput): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(input));
  }

  end(): void {
    if (this.#socket === undefined) return;
    this.#socket.onclose = null;
    this.#socket.close();
  }
}
