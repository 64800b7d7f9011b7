import type { PictureOrder, PictureReply } from '../../kiosk/glass/contract.ts';

/** Quality of the JPEG, 0 to 1. */
const QUALITY = 0.85;
/** A decoder that gives nothing for so long gives nothing any more, in milliseconds. */
const PATIENCE_MS = 4_000;
/** Where a key frame has no SPS that says its own: High profile, level 5.1. */
const ANY_H264 = 'avc1.640033';

/** What a canvas can draw. */
interface Drawable {
  readonly source: CanvasImageSource;
  readonly width: number;
  readonly height: number;
  close(): void;
}

/** The browser has no decoder for it. */
class Unsupported extends Error {}

/** Makes a JPEG of a camera's picture, at most as wide as the order says. */
export async function decodePicture(order: PictureOrder): Promise<PictureReply> {
  const { picture, kind, data, width } = order;
  try {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const drawable = kind === 'jpeg' ? await ofJpeg(bytes) : await ofKeyFrame(bytes);
    try {
      return { decoded: picture, jpeg: await toJpeg(drawable, width) };
    } finally {
      drawable.close();
    }
  } catch (error) {
    return { decoded: picture, failed: error instanceof Unsupported ? 'unsupported' : 'broken' };
  }
}

async function ofJpeg(bytes: Uint8Array<ArrayBuffer>): Promise<Drawable> {
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
  return { source: bitmap, width: bitmap.width, height: bitmap.height, close: () => bitmap.close() };
}

async function ofKeyFrame(data: Uint8Array<ArrayBuffer>): Promise<Drawable> {
  const codec = await codecOf(data);
  const frame = await new Promise<VideoFrame>((resolve, reject) => {
    let isDone = false;
    const decoder = new VideoDecoder({
      output: (first) => {
        if (isDone) first.close();
        isDone = true;
        resolve(first);
      },
      error: reject,
    });
    const end = () => {
      window.clearTimeout(late);
      if (decoder.state !== 'closed') decoder.close();
      reject(new Error('no picture'));
      isDone = true;
    };
    const late = window.setTimeout(end, PATIENCE_MS);
    decoder.configure({ codec, optimizeForLatency: true });
    decoder.decode(new EncodedVideoChunk({ type: 'key', timestamp: 0, data }));
    decoder.flush().then(end, end);
  });
  const { displayWidth, displayHeight } = frame;
  return { source: frame, width: displayWidth, height: displayHeight, close: () => frame.close() };
}

/** As WebCodecs names the stream (RFC 6381 section 3.3). */
async function codecOf(data: Uint8Array): Promise<string> {
  if (typeof VideoDecoder !== 'function') throw new Unsupported();
  // The profile and level are behind the header of the SPS, which is NAL unit 7.
  const sps = data.findIndex(
    (byte, at) =>
      at > 2 && (byte & 31) === 7 && data[at - 1] === 1 && data[at - 2] === 0 && data[at - 3] === 0,
  );
  const profile = [...data.subarray(sps + 1, sps + 4)].map((byte) => byte.toString(16).padStart(2, '0'));
  for (const codec of [...(sps < 0 ? [] : [`avc1.${profile.join('')}`]), ANY_H264]) {
    const { supported } = await VideoDecoder.isConfigSupported({ codec }).catch(() => ({ supported: false }));
    if (supported === true) return codec;
  }
  throw new Unsupported();
}

/** @param most pixels across; null: all @returns in base64 */
async function toJpeg({ source, width, height }: Drawable, most: number | null): Promise<string> {
  const scale = Math.min(1, (most ?? width) / width);
  const canvas = new OffscreenCanvas(Math.round(width * scale), Math.max(1, Math.round(height * scale)));
  const context = canvas.getContext('2d', { alpha: false })!;
  context.imageSmoothingQuality = 'high';
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
  const reader = new FileReader();
  await new Promise((resolve, reject) => {
    reader.onload = resolve;
    reader.onerror = reject;
    reader.readAsDataURL(blob);
  });
  return String(reader.result).replace(/^[^,]*,/, '');
}
