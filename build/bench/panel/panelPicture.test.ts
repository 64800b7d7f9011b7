import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GlassPicture } from '../../../e2e/glassPicture.ts';
import { SHOWN, shownOn } from './panelPicture.ts';

/** A picture whose upper part, to this share, has one colour; the rest is black. */
function picture(share: number, colour: string): GlassPicture {
  const [width, height] = [160, 100];
  const points = Buffer.alloc(3 * width * height);
  points.fill(Buffer.from(colour.split(' ').map(Number)), 0, 3 * width * Math.round(share * height));
  return new GlassPicture(Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), points]));
}

test('should tell a dark glass, another picture and the page apart', () => {
  assert.equal(shownOn(picture(0, SHOWN)), 'dark');
  // Words of a boot.
  assert.equal(shownOn(picture(0.3, '170 170 170')), 'dark');
  assert.equal(shownOn(picture(1, '255 255 255')), 'picture');
  // A page that is half drawn.
  assert.equal(shownOn(picture(0.7, SHOWN)), 'picture');
  assert.equal(shownOn(picture(1, SHOWN)), 'page');
});
