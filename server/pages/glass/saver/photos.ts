import { clockView, eachMinute, timeElement } from './clock.ts';
import { compose } from './compose.ts';
import type { View } from './view.ts';

interface PhotosOptions {
  /** `<this>/<anything>` is the next picture. */
  readonly address: string;
  readonly language: string;
  /** In pixels of the page. */
  readonly screen: { readonly width: number; readonly height: number };
}

/** So long each picture stays. */
const PHOTO_MS = 15_000;
/** Longer than the change in saver.css. */
const FADE_MS = 1_600;
/** Until another try when there was no picture, and at most. */
const AGAIN_MS = 2_000;
const AGAIN_MAX_MS = 60_000;
/** The small clock keeps its corner for so many minutes. */
const CORNER_MINUTES = 5;
const CORNERS = ['south west', 'south east', 'north east', 'north west'];

/** Pictures, each a while, with a small clock. Until the first is there, and while there is none, the clock is shown. */
export function photosView(root: HTMLElement, { address, language, screen }: PhotosOptions): View {
  let standIn: View | undefined = clockView(root, language);
  let shown: HTMLElement | undefined;
  let timer = 0;
  let asked = 0;
  let again = AGAIN_MS;
  let isEnded = false;

  const tick = () => shown?.querySelector('time')?.replaceWith(timeElement(new Date(), language));
  const stopTicks = eachMinute(tick);

  const show = (canvas: HTMLCanvasElement) => {
    const old = shown;
    shown = document.createElement('div');
    shown.className = 'photo';
    const small = document.createElement('div');
    const now = new Date();
    small.className = `corner ${CORNERS[Math.floor(now.getTime() / 60_000 / CORNER_MINUTES) % CORNERS.length]}`;
    small.append(timeElement(now, language));
    shown.append(canvas, small);
    root.append(shown);
    timer = setTimeout(() => {
      old?.remove();
      standIn?.end();
      standIn = undefined;
      timer = setTimeout(next, PHOTO_MS - FADE_MS);
    }, FADE_MS);
  };

  async function next(): Promise<void> {
    try {
      const { devicePixelRatio } = window;
      const canvas = await compose(await load(`${address}/${asked++}`), {
        width: Math.round(screen.width * devicePixelRatio),
        height: Math.round(screen.height * devicePixelRatio),
      });
      if (isEnded) return;
      again = AGAIN_MS;
      show(canvas);
    } catch {
      if (isEnded) return;
      timer = setTimeout(next, again);
      again = Math.min(again * 2, AGAIN_MAX_MS);
    }
  }

  void next();
  return {
    end() {
      isEnded = true;
      clearTimeout(timer);
      stopTicks();
      standIn?.end();
      root.replaceChildren();
    },
  };
}

/** @throws Error when there is none now */
async function load(address: string): Promise<Blob> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`no picture: ${answer.status}`);
  return answer.blob();
}
