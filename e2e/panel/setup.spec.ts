import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { PATIENCE, VirtualPanel } from '../virtualPanel.ts';
import { usePanel } from './paintedPanel.ts';
import { panels } from './progress.ts';

const used = usePanel(async () => {
  const panel = new VirtualPanel(join(panels, 'new'));
  await panel.make();
  await panel.boot();
  return panel;
});
const STEPS = 7;

/** The colour of a place of the glass. @param x, y from 0 to 1 */
async function color(x: number, y: number): Promise<number[]> {
  const file = join(panels, 'new/glass.ppm');
  await used.panel.qemu('screendump', { filename: file });
  const picture = readFileSync(file);
  // Netpbm's P6: its head, then three bytes for each pixel.
  const [head, width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(
    picture.subarray(0, 40).toString('latin1'),
  )!;
  const at =
    head.length + 3 * (Math.floor(y * Number(height)) * Number(width) + Math.floor(x * Number(width)));
  return [...picture.subarray(at, at + 3)];
}

/** Whether the bar of the first set-up has come to this step: its colour is more blue than red. */
async function isAt(step: number): Promise<boolean> {
  const [red = 0, green = 0, blue = 0] = await color(0.016 + (0.968 * (step - 0.5)) / STEPS, 53 / 800);
  return blue - red > 60 && green - red > 60;
}

test('should be set up on the glass, by touch alone', async () => {
  const { panel } = used;
  for (let step = 1; step <= STEPS; step++) {
    await expect.poll(() => isAt(step), { timeout: PATIENCE.page, intervals: [1_000] }).toBe(true);
    await panel.screenshot(join(panels, `setup-${step}.png`));
    // "Next"; a touch may come before the step can be used.
    await expect(async () => {
      await panel.tap(0.947, 0.957);
      const gone = async () => (step < STEPS ? isAt(step + 1) : !(await isAt(1)));
      await expect.poll(gone, { timeout: 15_000 }).toBe(true);
    }).toPass({ timeout: PATIENCE.page });
  }
  const kept = async () => JSON.parse(await panel.root('cat /var/lib/faceplate/setup.json')) as object;
  await expect.poll(kept, { timeout: PATIENCE.fact }).toMatchObject({ step: 'done' });
  await panel.pageShown();
  await panel.screenshot(join(panels, 'setup-done.png'));
});
