import { judgeView, pauseOf, viewInPage } from '../../server/video/testing/fieldCameras/browserView.ts';
import { allFieldCases } from '../../server/video/testing/fieldCameras/cases.ts';
import { FieldCamera } from '../../server/video/testing/fieldCameras/fieldCamera.ts';
import type { FieldCase } from '../../server/video/testing/fieldCameras/fieldCase.ts';
import { realClips } from '../../server/video/testing/fieldCameras/realClips.ts';
import { expect, test } from '../fixtures.ts';
import { stopDemo } from '../viewer.ts';

/** As many as the panel has sessions. */
const AT_ONCE = 8;
/** Three seconds before the timestamps jump, and three behind. */
const USUAL_SECONDS = 6;
/** Beyond the end of a session of 10 s. The unit tests watch longer, in time of their own. */
const LONGEST_SECONDS = 14;

test('should play the cameras of the field in a browser', async ({ page, api }) => {
  test.setTimeout(180_000);
  await stopDemo(page);
  const clips = await realClips();
  const waiting = allFieldCases
    .filter(({ right }) => right.plays)
    .sort((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0));
  const wrong: string[] = [];
  const take = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const found = await playOne(next);
      // A decoder may bear what the reader does not mend yet.
      if (found !== undefined && !next.pending) wrong.push(`${next.name}: ${found}`);
    }
  };
  /** @returns what is wrong */
  const playOne = async (one: FieldCase): Promise<string | undefined> => {
    const { name, departs, right, seconds = USUAL_SECONDS } = one;
    const camera = new FieldCamera(departs, clips);
    const url = await camera.start();
    const ms = Math.min(seconds, LONGEST_SECONDS) * 1_000;
    const viewed = await page.evaluate(viewInPage, { endpoint: `/api/stream/whep/${name}`, url, ms });
    await camera.stop();
    const allowed = right.plays ? right.losses : 0;
    const playing = judgeView(viewed, ms, pauseOf(one));
    if (playing === 'plays' && camera.plays - 1 <= allowed) return undefined;
    return `${playing}, connected ${camera.plays} times, ${JSON.stringify(viewed)}`;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  expect(wrong).toEqual([]);
  await expect.poll(async () => (await api('/api/stream/sessions')).body.sessions).toEqual([]);
});
