import type { GlassPicture } from '../../../e2e/glassPicture.ts';

/** The colour of the page, as CSS has it. */
export const SHOWN = '0 170 0';

/** Points that are looked at, across and down. */
const ACROSS = 16;
const DOWN = 10;

/** What a picture of the glass shows: the words of a boot on black, something else, or the page. */
export function shownOn(picture: GlassPicture): 'dark' | 'picture' | 'page' {
  const colours: string[] = [];
  for (let row = 0; row < DOWN; row++)
    for (let column = 0; column < ACROSS; column++)
      colours.push(picture.at((column + 0.5) / ACROSS, (row + 0.5) / DOWN).join(' '));
  const share = (is: (colour: string) => boolean) => colours.filter(is).length / colours.length;
  if (share((colour) => colour === SHOWN) > 0.9) return 'page';
  return share((colour) => colour !== '0 0 0') > 0.5 ? 'picture' : 'dark';
}
