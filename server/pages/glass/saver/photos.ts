import { clockView, eachMinute, timeElement, type View } from './clock.ts';

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

/** Up to this part of a picture may lie outside the screen; one that fits worse is shown whole. */
const MAX_CROP = 0.2;
/** The picture behind is drawn so much smaller, which blurs it for nothing. */
const BEHIND = 24;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Draws a picture for a screen: over all of it where it fits well, else whole, with itself blurred behind.
 * @throws Error when it is broken
 */
async function compose(picture: Blob, screen: Size): Promise<HTMLCanvasElement> {
  const size = await sizeOf(picture);
  const ratio = size.width / size.height / (screen.width / screen.height);
  const isCropped = Math.min(ratio, 1 / ratio) >= 1 - MAX_CROP;
  const fit = isCropped ? Math.max : Math.min;
  const scale = fit(screen.width / size.width, screen.height / size.height);
  const bitmap = await decode(picture, {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  });
  try {
    return drawn(bitmap, screen, isCropped);
  } finally {
    bitmap.close();
  }
}

/** As it is shown, turned as its camera says. It is not decoded for this. */
async function sizeOf(picture: Blob): Promise<Size> {
  const image = new Image();
  const url = URL.createObjectURL(picture);
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new Error('The picture is broken.'));
      image.src = url;
    });
    return { width: image.naturalWidth, height: image.naturalHeight };
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Decodes a picture for this size. A JPEG can be decoded at an eighth, two eighths and so on of its size: a large photo
 * is never in memory as a whole.
 */
async function decode(picture: Blob, { width, height }: Size): Promise<ImageBitmap> {
  const resize = { resizeWidth: width, resizeHeight: height, resizeQuality: 'medium' } as const;
  if (picture.type !== 'image/jpeg') return createImageBitmap(picture, resize);
  // Turned pictures have their sides the other way round.
  const most = 2 * Math.max(width, height);
  const decoder = new ImageDecoder({
    type: picture.type,
    data: picture.stream(),
    desiredWidth: most,
    desiredHeight: most,
  });
  try {
    const { image } = await decoder.decode();
    const bitmap = await createImageBitmap(image, resize);
    image.close();
    return bitmap;
  } finally {
    decoder.close();
  }
}

function drawn(bitmap: ImageBitmap, screen: Size, isCropped: boolean): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = screen.width;
  canvas.height = screen.height;
  const context = paper(canvas);
  if (!isCropped) {
    const small = document.createElement('canvas');
    small.width = Math.ceil(screen.width / BEHIND);
    small.height = Math.ceil(screen.height / BEHIND);
    const behind = paper(small);
    behind.filter = 'blur(1.5px) brightness(0.45) saturate(1.2)';
    // A little over the edge, where the blur would fade out.
    const scale = 1.1 * Math.max(small.width / bitmap.width, small.height / bitmap.height);
    draw(behind, bitmap, small, scale);
    context.drawImage(small, 0, 0, screen.width, screen.height);
    context.shadowColor = 'rgb(0 0 0 / 60%)';
    context.shadowBlur = Math.round(screen.height / 20);
  }
  draw(context, bitmap, screen, 1);
  return canvas;
}

function paper(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  // In the memory of the page and not of the graphics: it is drawn once.
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true })!;
  context.imageSmoothingQuality = 'high';
  return context;
}

/** In the middle. */
function draw(context: CanvasRenderingContext2D, bitmap: ImageBitmap, on: Size, scale: number): void {
  const [width, height] = [bitmap.width * scale, bitmap.height * scale];
  context.drawImage(bitmap, (on.width - width) / 2, (on.height - height) / 2, width, height);
}
