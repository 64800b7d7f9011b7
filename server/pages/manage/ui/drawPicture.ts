/** Draws a picture in its own size; the page's style fits it to its place. */
export function drawPicture(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): void {
  if (canvas === null) return;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
}
