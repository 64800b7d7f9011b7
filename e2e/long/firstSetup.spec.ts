import { fitsEachStep } from '../firstSetup.ts';
import { test } from '../fixtures.ts';

for (const [width, height] of [
  [480, 480],
  [800, 480],
  [1280, 800],
  [800, 1280],
] as const)
  test(`should fit each step of the set-up on ${width} by ${height}`, async ({ startFaceplate }) => {
    const service = await startFaceplate({ kiosk: true, args: ['--wizard'] });
    await fitsEachStep(service, { width, height, withAxe: true });
  });
