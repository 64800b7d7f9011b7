import { expect, test } from '../fixtures.ts';

test('should switch a relay in the page and read it over HTTP', async ({ page, api }) => {
  await page.getByTestId('pin-2-switch').setChecked(false);
  await page.getByTestId('pin-2-switch').check();
  await expect(page.getByTestId('pin-2-level')).toHaveText('CLOSED');
  expect(await api('/api/remote/gpio/read', { pin: 2 })).toEqual({
    status: 200,
    body: { status: 'ok', pin: 2, level: 1, ok: true },
  });
});

test('should show in the page what is written over HTTP', async ({ page, api }) => {
  for (const [level, name] of [
    [1, 'CLOSED'],
    [0, 'OPEN'],
  ] as const) {
    const written = await api('/api/remote/gpio/write', { pin: 3, level });
    expect(written).toEqual({ status: 200, body: { status: 'ok', pin: 3, level, ok: true } });
    await expect(page.getByTestId('pin-3-level')).toHaveText(name);
    await expect(page.getByTestId('pin-3-switch')).toBeChecked({ checked: level === 1 });
  }
});

test('should see the wire of IO 1 change in the pin card and over HTTP', async ({ page, api }) => {
  await page.getByTestId('world-pin-0').setChecked(false);
  await expect(page.getByTestId('pin-0-level')).toHaveText('LOW');
  await page.getByTestId('world-pin-0').check();
  await expect(page.getByTestId('pin-0-level')).toHaveText('HIGH');
  expect((await api('/api/remote/gpio/read', { pin: 0 })).body).toMatchObject({ level: 1 });
  expect(await page.evaluate(`container.call('gpio.read', { pin: 0 })`)).toMatchObject({ level: 1 });
});

test('should see a simulated change over HTTP in the page', async ({ page, api }) => {
  for (const level of [1, 0]) {
    const simulated = await api('/api/remote/simulate', { part: 'gpio', pin: 1, level });
    expect(simulated).toEqual({ status: 200, body: { status: 'ok' } });
    await expect(page.getByTestId('pin-1-level')).toHaveText(level === 1 ? 'HIGH' : 'LOW');
    await expect(page.getByTestId('world-pin-1')).toBeChecked({ checked: level === 1 });
  }
});
