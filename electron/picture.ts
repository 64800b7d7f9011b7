import type { NativeImage } from 'electron';
import type { PictureFormat } from '../server/kiosk/host.ts';

/** Text stays readable. */
const JPEG_QUALITY = 80;

/** A picture in a format; PNG without one. */
export function written(picture: NativeImage, format?: PictureFormat): Uint8Array {
  return format === 'jpeg' ? picture.toJPEG(JPEG_QUALITY) : picture.toPNG();
}
