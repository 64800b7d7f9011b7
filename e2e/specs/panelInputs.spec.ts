import { expect, test } from '../fixtures.ts';

interface Heard {
  readonly heard: [string, unknown][];
  readonly container: {
    on(name: string, listener: (payload: unknown) => void): void;
    call(name: string): Promise<unknown>;
  };
}

test('should tell the page of buttons, readers and the air', async ({ page, api }) => {
  await page.evaluate(async () => {
    const own = window as unknown as { -readonly [K in keyof Heard]: Heard[K] };
    own.heard = [];
    for (const name of ['button', 'scan', 'climate'])
      own.container.on(name, (payload) => own.heard.push([name, payload]));
    // Its answer says that the panel has heard what came before it.
    await own.container.call('climate.state');
  });
  for (const step of [
    { part: 'button', name: 'Bell', state: 'down' },
    { part: 'button', name: 'Bell', state: 'up' },
    { part: 'scan', name: 'Reader', text: '4006381333931' },
    { part: 'climate', temperature: 17.31, humidity: 61 },
  ])
    expect((await api('/api/remote/simulate', step)).status).toBe(200);
  await expect
    .poll(() => page.evaluate(() => (window as unknown as Heard).heard))
    .toEqual([
      ['button', { name: 'Bell', state: 'down' }],
      ['button', { name: 'Bell', state: 'up' }],
      ['scan', { name: 'Reader', text: '4006381333931' }],
      ['climate', { temperature: 17.3, humidity: 61 }],
    ]);
  const air = await page.evaluate(() => (window as unknown as Heard).container.call('climate.state'));
  expect(air).toEqual({ temperature: 17.3, humidity: 61 });
  expect(await api('/api/remote/climate')).toEqual({ status: 200, body: air });
});

test('should wake for who comes near, and for a button', async ({ api }) => {
  const isOn = async () => (await api('/api/remote/display')).body.on;
  for (const step of [
    { part: 'proximity', near: true },
    { part: 'button', name: 'Bell', state: 'down' },
  ]) {
    expect((await api('/api/remote/display', { on: false })).body).toMatchObject({ on: false });
    expect((await api('/api/remote/simulate', step)).status).toBe(200);
    await expect.poll(isOn, { timeout: 15_000 }).toBe(true);
  }
});
