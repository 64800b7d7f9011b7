import type { Page } from '@playwright/test';
import { startRtspCamera } from '../../server/testing/rtspCamera.ts';
import { expect, test } from '../fixtures.ts';
import { statsOf, stopDemo, watch } from '../viewer.ts';

const framesOf = async (page: Page, id: string) => (await statsOf(page, id)).video?.frames ?? 0;

test('should show a camera that hung, was killed and came back, in the same session', async ({
  page,
  api,
  panel,
}) => {
  test.setTimeout(120_000);
  const sessionOf = async () => {
    const { sessions } = (await api('/api/stream/sessions')).body as {
      sessions: { id: string; state: string; startedAt: string }[];
    };
    return sessions.find(({ id }) => id === 'door');
  };
  const told = () => page.evaluate(() => (window as unknown as { told: string[] }).told);
  let camera = await startRtspCamera();
  try {
    await stopDemo(page);
    await page.evaluate(() => {
      const told: string[] = [];
      Object.assign(window, { told });
      window.container!.on('stream', (session) => told.push(`${session.id} ${session.state}`));
    });
    expect((await watch(page, 'door', camera.url('h264-pcmu'))).status).toBe(200);
    await expect.poll(() => framesOf(page, 'door')).toBeGreaterThan(10);
    const { startedAt } = (await sessionOf())!;

    const printed = panel.output.length;
    process.kill(camera.pid, 'SIGSTOP');
    await expect.poll(told).toContain('door stalled');
    expect(await sessionOf()).toMatchObject({ state: 'stalled', startedAt });
    // Five seconds without video: the panel connects again, and gets no answer.
    await expect
      .poll(() => panel.output.slice(printed), { timeout: 30_000 })
      .toContain('video: camera connection ended');

    process.kill(camera.pid, 'SIGKILL');
    await camera.stop();
    camera = await startRtspCamera(camera.port);
    const before = await framesOf(page, 'door');
    await expect.poll(() => framesOf(page, 'door'), { timeout: 45_000 }).toBeGreaterThan(before + 20);
    expect(await sessionOf()).toMatchObject({ state: 'playing', startedAt });
    expect((await told()).at(-1)).toBe('door playing');
    await api('/api/stream/whep/door', undefined, { method: 'DELETE' });
  } finally {
    await camera.stop();
  }
});
