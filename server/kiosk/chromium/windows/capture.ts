import type { PictureFormat } from '../../host.ts';

/** Text stays readable. */
const JPEG_QUALITY = 80;

/** What `Page.captureScreenshot` is asked for; PNG without a format. */
export function captureOf(format: PictureFormat = 'png') {
  return { format, ...(format === 'jpeg' && { quality: JPEG_QUALITY }), optimizeForSpeed: true };
}
