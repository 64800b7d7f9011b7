import { writeFile } from 'node:fs/promises';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../manageBrowser.ts';

/** A board with six pins, in another order than a shipped panel. */
const board = {
  name: 'six-pins',
  gpio: {
    driver: 'simulated',
    labels: ['Pump', 'Fan', 'Gate', 'Light', 'Bell', 'Door contact'],
    relays: [0, 1, 2, 3],
    interlock: [[2, 3]],
  },
};

test('should show and switch the pins of another board in the page, in the app and over HTTP', async ({
  startFaceplate,
  openPage,
  openManage,
}, info) => {
  const path = info.outputPath('six-pins.json');
  await writeFile(path, JSON.stringify(board));
  const service = await startFaceplate({ kiosk: true, args: ['--board', path] });
  const api = await apiOf(service);
  const pins = (await api('/api/remote/gpio')).body.pins as { label: string; kind: string }[];
  expect(pins.map(({ label, kind }) => `${label} ${kind}`)).toEqual([
    'Pump relay',
    'Fan relay',
    'Gate relay',
    'Light relay',
    'Bell io',
    'Door contact io',
  ]);
  expect(await api('/api/remote/gpio/write', { pin: 6, level: 1 })).toEqual(
    failure(400, 'INVALID_REQUEST', /^pin must be 0 to 5\.$/, 'pin'),
  );

  const page = await openPage(service);
  await expect(page.getByTestId('pins-card').getByRole('listitem')).toHaveCount(6);
  await page.getByLabel('Fan', { exact: true }).check();
  await expect(page.getByTestId('pin-1-level')).toHaveText('CLOSED');
  await api('/api/remote/simulate', { part: 'gpio', pin: 5, level: 1 });
  await expect(page.getByTestId('pin-5-level')).toHaveText('HIGH');
  await page.getByTestId('pin-5-read').click();
  await expect(page.getByTestId('pins-status')).toHaveText('Door contact is HIGH.');

  const { page: app } = await openManage(service, { token: await service.token(), at: '#/hardware' });
  await expect(app.getByTestId('pin-level-1')).toHaveText('closed');
  await app.getByTestId('outside-4').click();
  await expect(app.getByTestId('pin-level-4')).toHaveText('high');
});
