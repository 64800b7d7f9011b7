import { expect, test } from '../manageBrowser.ts';

test('should say which right is missing instead of failing', async ({ panel, openManage, api }) => {
  const { body: made } = await api('/api/manage/tokens', { name: 'guest', scopes: ['view'] });
  const { page } = await openManage(panel, { token: String(made.token), at: '#/people' });
  await expect(page.getByTestId('problem').first()).toContainText('Your token does not allow it');
  await expect(page.getByTestId('problem').first()).toContainText('"manage"');
});

test('should make a token for single commands that are found by what they do', async ({
  panel,
  openManage,
  api,
}) => {
  const { page } = await openManage(panel, { token: await panel.token(), at: '#/people' });
  await page.getByTestId('token-name').fill('Shades');
  await page.getByTestId('tokenCommands').check();
  await expect(page.getByTestId('make-token')).toBeDisabled();
  const choice = page.getByTestId('token-commands');
  for (const [search, name] of [
    ['led.col', 'Change the colour of the LED bar'],
    ['pulse', 'Switch a pin or relay for a time'],
  ] as const) {
    await page.getByTestId('token-commands-search').fill(search);
    await choice.getByRole('checkbox', { name: new RegExp(name) }).check();
  }
  await page.getByTestId('token-commands-search').fill('Give somebody access');
  await expect(choice.getByRole('checkbox')).toHaveCount(1);
  await page.getByTestId('make-token').click();
  const token = (await page.getByTestId('made-token').textContent())!.trim();
  await expect(page.getByTestId('tokens')).toContainText('led.color, gpio.pulse');
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await fetch(`${await panel.url}/api/remote/led/state`, { headers });
  expect(status).toBe(403);
  const { tokens } = (await api('/api/manage/tokens')).body as {
    tokens: { name: string; commands: unknown }[];
  };
  expect(tokens.find(({ name }) => name === 'Shades')?.commands).toEqual(['led.color', 'gpio.pulse']);
});
