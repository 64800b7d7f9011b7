import { request } from 'node:http';
import { apiOf, failure } from '../api.ts';
import { goOn, isAt } from '../firstSetup.ts';
import { expect, test } from '../fixtures.ts';
import { settingsPageOf } from '../kioskService.ts';
import { readQr } from '../readQr.ts';

test('security: should let the phone that the first set-up paired set the first PIN, once, and no other', async ({
  startFaceplate,
}) => {
  test.slow();
  const service = await startFaceplate({ kiosk: true, args: ['--wizard'] });
  const api = await apiOf(service);
  const { page, detach } = await settingsPageOf(service);
  const paired = async (code: unknown) => {
    const { body } = await api('/api/pair', { code, name: 'phone' });
    const headers = { authorization: `Bearer ${body.token}`, 'content-type': 'application/json' };
    return (kiosk: object) =>
      api('/api/manage/settings', undefined, { method: 'PATCH', headers, body: JSON.stringify({ kiosk }) });
  };
  const other = await paired((await api('/api/manage/pairing', {})).body.code);
  const refused = failure(403, 'FORBIDDEN', /./, 'kiosk.pin');
  expect(await other({ pin: '1111' })).toEqual(refused);
  await isAt(page, 'language');
  for (const step of ['name', 'network', 'time', 'pin', 'show', 'phone']) await goOn(page, step);
  const [, code] = /#pair=(\d{8})$/.exec(await readQr(page)) ?? [];
  const phone = await paired(code);
  expect(await phone({ pin: '2580', user: 'root' })).toEqual(failure(403, 'FORBIDDEN', /./, 'kiosk.user'));
  expect((await phone({ pin: '2580' })).status).toBe(200);
  expect(await phone({ pin: '1111' })).toEqual(refused);
  await detach();
});

test('should lead the phone that the first set-up pairs through the same steps', async ({
  startFaceplate,
  houseBrowser,
}) => {
  test.slow();
  const service = await startFaceplate({ kiosk: true, args: ['--wizard'] });
  const { page, detach } = await settingsPageOf(service);
  await isAt(page, 'language');
  for (const step of ['name', 'network', 'time', 'pin', 'show', 'phone']) await goOn(page, step);
  const url = new URL(await readQr(page));
  // The panel's address in the network is none of the test's.
  url.host = new URL(await service.url).host;
  const phone = await houseBrowser.newPage({ viewport: { width: 390, height: 844 } });
  await phone.goto(url.href);
  await isAt(phone, 'language');
  expect(new URL(phone.url()).search).toBe('');
  await phone.getByTestId('language-de').click();
  await expect(phone.getByTestId('setup-next')).toHaveText('Weiter');
  await phone.getByTestId('setup-next').click();
  await isAt(phone, 'name');
  await phone.getByTestId('device-name').fill('Flur');
  await phone.getByTestId('setup-next').click();
  await isAt(phone, 'network');
  // A phone that loses its network for a moment, or its tab, is where it was.
  await phone.reload();
  await isAt(phone, 'network');
  for (const step of ['time', 'pin']) {
    await phone.getByTestId('setup-next').click();
    await isAt(phone, step);
  }
  for (let time = 0; time < 2; time++) {
    for (const digit of '2580') await phone.getByTestId(`pin-${digit}`).click();
    await phone.getByTestId('pin-ok').click();
  }
  await expect(phone.getByTestId('pin-there')).toBeVisible();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await phone.getByTestId('setup-next').click();
  await isAt(phone, 'show');
  await phone.getByTestId('setup-next').click();
  await isAt(phone, 'done');
  await expect(phone.getByTestId('step-title')).toHaveText('Flur ist bereit');
  await phone.getByTestId('setup-next').click();
  await expect(phone.getByTestId('panel-name')).toHaveText('Flur');
  const { body } = await (await apiOf(service))('/api/manage/settings');
  expect(body.settings).toMatchObject({ 'device.language': { value: 'de' }, 'kiosk.pin': { set: true } });
  await phone.close();
  await detach();
});

test('security: should show another code by itself when strangers have tried 500, and say so', async ({
  startFaceplate,
}) => {
  test.slow();
  const service = await startFaceplate({ kiosk: true, args: ['--wizard'] });
  const { page, detach } = await settingsPageOf(service);
  const { port } = new URL(await service.url);
  const codeShown = async () => /#pair=(\d{8})$/.exec(await readQr(page))?.[1] ?? '';
  /** Five from each of 100 addresses of loopback, which stand for machines on the network. */
  const try500 = async (code: string) => {
    const body = JSON.stringify({ code: code === '00000000' ? '11111111' : '00000000', name: 'x' });
    const pair = (localAddress: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { 'content-type': 'application/json' };
        const options = { host: '127.0.0.1', port, path: '/api/pair', method: 'POST', headers, localAddress };
        request({ ...options, agent: false }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end(body);
      });
    for (let from = 1; from <= 100; from++)
      for (let times = 0; times < 5; times++) expect(await pair(`127.0.1.${from}`)).toBe(401);
  };
  await isAt(page, 'language');
  for (const step of ['name', 'network', 'time', 'pin', 'show', 'phone']) await goOn(page, step);
  const first = await codeShown();
  await expect(page.getByTestId('codes-are-tried')).toBeEmpty();
  await try500(first);
  await expect(page.getByTestId('codes-are-tried')).toContainText('is trying pairing codes');
  await expect.poll(codeShown).not.toBe(first);
  const api = await apiOf(service);
  expect(await api('/api/pair', { code: first, name: 'phone' })).toEqual(failure(401, 'UNAUTHORIZED'));
  const second = await codeShown();
  expect((await api('/api/pair', { code: second, name: 'Owner' })).body).toMatchObject({ field: 'name' });
  expect((await api('/api/pair', { code: second, name: 'phone' })).status).toBe(200);
  await detach();
});
