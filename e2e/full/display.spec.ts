import { timeToGoWrong } from '../../server/testing/waiting.ts';
import { expect, test } from '../fixtures.ts';

/** The page says every second that it holds the lock; a busy machine may be late with it, by less than this. */
const OFF_AFTER_S = 5;

test('should keep a page awake that holds a wake lock', async ({ page, api }) => {
  const idle = async () => String((await api('/api/remote/display')).body.idle);
  const change = (offAfter: number | null) =>
    api('/api/manage/settings', { idle: { offAfter } }, { method: 'PATCH' });
  await page.evaluate(`navigator.wakeLock.request('screen').then((lock) => { globalThis.lock = lock; })`);
  expect((await change(OFF_AFTER_S)).status).toBe(200);
  await timeToGoWrong(1_600 * OFF_AFTER_S);
  expect(await idle()).toBe('active');
  await page.evaluate('lock.release()');
  await expect.poll(idle, { intervals: [200] }).toBe('off');
  expect((await change(null)).status).toBe(200);
  expect(await idle()).toBe('active');
});
