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
const STEPS = 8;

/**
 * Whether the first set-up is at this step: its dot is the long one, whose middle is dark at every other step. Its colour is
 * more blue than red.
 */
async function isAt(step: number): Promise<boolean> {
  const picture = await used.panel.picture();
  const [red, green, blue] = picture.at((572 + 16 * (step - 1) + 12) / 1280, 32 / 800);
  return blue - red > 60 && green - red > 60;
}

test('should be set up on the glass, by touch alone', async () => {
  const { panel } = used;
  for (let step = 1; step <= STEPS; step++) {
    await expect.poll(() => isAt(step), { timeout: PATIENCE.page, intervals: [1_000] }).toBe(true);
    await panel.screenshot(join(panels, `setup-${step}.png`));
    // "Next"; a touch may come before the step can be used.
    await expect(async () => {
      await panel.tap(0.5, 758 / 800);
      const gone = async () => (step < STEPS ? isAt(step + 1) : !(await isAt(1)));
      await expect.poll(gone, { timeout: 15_000 }).toBe(true);
    }).toPass({ timeout: PATIENCE.page });
  }
  const kept = async () => JSON.parse(await panel.root('cat /var/lib/faceplate/setup.json')) as object;
  await expect.poll(kept, { timeout: PATIENCE.fact }).toMatchObject({ value: { step: 'done' } });
  await panel.pageShown();
  await panel.screenshot(join(panels, 'setup-done.png'));
});
