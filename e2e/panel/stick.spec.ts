import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { GlassPicture } from '../glassPicture.ts';
import { PATIENCE } from '../virtualPanel.ts';
import { bundleOf } from './bundles.ts';
import { usePanel } from './paintedPanel.ts';
import { untilLast, untilRestarted } from './panelUpdate.ts';
import { panels, testedArch } from './progress.ts';

const used = usePanel();
const STICK_MIB = 700;
/** A button has so many white pixels in a row, in so many rows one below the other; no letter has. */
const BUTTON = { width: 12, height: 30 } as const;

/** The left one of the buttons of a dialog in the middle of the glass, from 0 to 1; undefined while there is none. */
function firstButton(picture: GlassPicture): { x: number; y: number } | undefined {
  const { width, height } = picture;
  const starts: number[] = [];
  for (let row = 0; row < height; row++) {
    const start = firstWhite(picture, row);
    if (start !== undefined) starts.push(start);
    else if (starts.length >= BUTTON.height)
      return { x: (Math.min(...starts) + BUTTON.width) / width, y: (row - starts.length / 2) / height };
    else starts.length = 0;
  }
  return undefined;
}

/** Where the first run of white begins in a row, if it stands on a dialog. */
function firstWhite(picture: GlassPicture, row: number): number | undefined {
  for (let x = 0, run = 0; x < picture.width; x++) {
    run = String(picture.pixel(x, row)) === '255,255,255' ? run + 1 : 0;
    if (run < BUTTON.width) continue;
    const start = x + 1 - run;
    return String(picture.pixel(start - 12, row)) === '20,38,61' ? start : undefined;
  }
  return undefined;
}

test('should offer the version on a stick, and install it by a touch', async () => {
  const { panel } = used;
  const bundle = await bundleOf('good', { version: '0.2.0' });
  const stick = join(panels, 'stick.img');
  rmSync(stick, { force: true });
  execFileSync('truncate', ['-s', `${STICK_MIB}M`, stick]);
  execFileSync('mformat', ['-i', stick, '-F', '-v', 'STICK', '::']);
  execFileSync('mcopy', ['-i', stick, bundle, `::faceplate-0.2.0-${testedArch}.raucb`]);
  await panel.api('/api/remote/info');
  await panel.plug(stick);
  const button = async () => firstButton(await panel.picture());
  await expect.poll(button, { timeout: PATIENCE.page, intervals: [2_000] }).toBeDefined();
  const { x, y } = (await button())!;
  await panel.screenshot(join(panels, 'stick.png'));
  const restarted = untilRestarted(panel);
  await panel.tap(x, y);
  await restarted;
  expect(await untilLast(panel, '0.2.0', 'good')).toMatchObject({ installed: '0.2.0', slot: 'B' });
  const journal = await panel.api('/api/manage/journal');
  expect(JSON.stringify(journal.body)).toContain('"from":"stick"');
  await panel.cut();
  rmSync(stick, { force: true });
});
