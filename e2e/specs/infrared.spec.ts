import { expect, test } from '../fixtures.ts';
import { glassOf } from '../kioskService.ts';
import { bellOf } from '../peers/bell.ts';
import { runRecipe } from '../peers/recipes.ts';

test('should send a key from the page, show what is heard, and learn a key', async ({ page, api }, info) => {
  await page.getByTestId('show-ir').click();
  await expect(page.getByTestId('led-card')).toBeHidden();
  await expect(page.getByTestId('ir-port').locator('option')).toHaveText(['Emitter 1', 'Emitter 2']);
  const heard = page.getByTestId('ir-log').locator('li');
  await page.getByTestId('ir-protocol').selectOption('rc5');
  await page.getByTestId('ir-address').fill('5');
  await page.getByTestId('ir-command').fill('35');
  await page.getByTestId('ir-send').click();
  await expect(page.getByTestId('ir-status')).toHaveText(/^IR1 has sent \d+ ms\.$/);
  await expect(heard).toHaveText(['IR-IN: rc5 5 35']);
  await page.screenshot({ path: info.outputPath('infrared.png') });

  const play = (pressed: object) => api('/api/remote/simulate', { part: 'ir', ...pressed });
  const learn = async (pressed: object) => {
    await page.getByTestId('ir-learn').click();
    await expect(page.getByTestId('ir-status')).toContainText('Point a remote control');
    // The panel may not wait yet.
    await expect(async () => {
      expect((await play(pressed)).status).toBe(200);
      await expect(page.getByTestId('ir-status')).toHaveText('Learned: press Send.', { timeout: 500 });
    }).toPass();
  };
  await learn({ code: { protocol: 'nec', address: 4, command: 8 } });
  await expect(page.getByTestId('ir-protocol')).toHaveValue('nec');
  await expect(page.getByTestId('ir-command')).toHaveValue('8');
  await learn({ timings: [900, 400, 900, 1_700, 900] });
  await expect(page.getByTestId('ir-address')).toBeDisabled();
  const before = await heard.count();
  await page.getByTestId('ir-send').click();
  await expect(heard).toHaveCount(before + 1);
  await expect(heard.last()).toHaveText('IR-IN: 5 times of an unknown protocol');
});

test('should learn a key, and send it when somebody rings, by the recipe', async ({ page, api }) => {
  const { camera, ring } = bellOf('rtsp://127.0.0.1:1/none');
  await camera.start();
  const heard: string[] = [];
  await page.exposeFunction('hears', (port: string) => heard.push(port));
  const press = { part: 'ir', code: { protocol: 'nec', address: 4, command: 8 } };
  const finger = setInterval(() => void api('/api/remote/simulate', press).catch(() => {}), 500);
  try {
    const key = await runRecipe<object>(
      page,
      `const key = await learnKey();
      sendAtBell('Front door', key, 'IR2');
      return key;`,
    );
    expect(key).toEqual({ code: press.code });
    clearInterval(finger);
    await runRecipe(page, "container.on('ir', ({ port, code }) => hears(port + ' ' + code?.command));");
    const cameras = [{ name: 'Front door', url: camera.url(), events: ['visitor'] }];
    await api('/api/manage/settings', { streams: { cameras } }, { method: 'PATCH' });
    await expect.poll(() => camera.calls).toContain('PullMessages');
    heard.length = 0;
    const visitor = (await glassOf(page)).getByRole('alertdialog', { name: 'Front door' });
    ring();
    await expect(visitor).toBeVisible();
    // Else the visitor is above the pages of the next tests for half a minute. A press in the first half second does not count.
    await expect(async () => {
      if ((await visitor.count()) > 0)
        await visitor.getByRole('button', { name: 'Ignore' }).click({ timeout: 1_000 });
      await expect(visitor).toHaveCount(0, { timeout: 1_000 });
    }).toPass();
    await expect.poll(() => heard).toContain('IR-IN 8');
  } finally {
    clearInterval(finger);
    await api('/api/manage/settings', { streams: { cameras: null } }, { method: 'PATCH' });
    await camera.stop();
  }
});
