/** The colour of the page, as CSS has it. */
export const SHOWN = '0 170 0';

/** Points that are looked at, across and down. */
const ACROSS = 16;
const DOWN = 10;

/**
 * What a picture of the glass shows: the words of a boot on black, something else, or the page.
 * @param ppm binary PPM (netpbm, P6), as QEMU writes it
 */
export function pictureOf(ppm: Uint8Array): 'dark' | 'picture' | 'page' {
  const [head, width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(
    Buffer.from(ppm.subarray(0, 64)).toString('latin1'),
  )!;
  const colours: string[] = [];
  for (let row = 0; row < DOWN; row++)
    for (let column = 0; column < ACROSS; column++) {
      const x = Math.floor(((column + 0.5) / ACROSS) * Number(width));
      const y = Math.floor(((row + 0.5) / DOWN) * Number(height));
      const at = head.length + 3 * (y * Number(width) + x);
      colours.push(ppm.subarray(at, at + 3).join(' '));
    }
  const share = (is: (colour: string) => boolean) => colours.filter(is).length / colours.length;
  if (share((colour) => colour === SHOWN) > 0.9) return 'page';
  return share((colour) => colour !== '0 0 0') > 0.5 ? 'picture' : 'dark';
}
