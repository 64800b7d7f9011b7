import { apiOf } from '../api.ts';
import { expect, test } from '../manageBrowser.ts';
import { openView, seriousFaults } from '../manageViews.ts';

test('should switch, pulse and play pins, and show the level live', async ({ panel, openManage }) => {
  const api = await apiOf(panel);
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/devices/hardware',
  });
  const level = page.getByTestId('pin-level-2');
  await api('/api/remote/gpio/write', { pin: 2, level: 0 });
  await expect(level).toHaveText('open');
  await page.getByTestId('pin-switch-2').click();
  await expect(level).toHaveText('closed');
  await expect(page.getByTestId('pin-switch-2')).toBeChecked();
  expect((await api('/api/remote/gpio/read', { pin: 2 })).body).toMatchObject({ level: 1 });
  // What others do is seen as well.
  await api('/api/remote/gpio/write', { pin: 2, level: 0 });
  await expect(level).toHaveText('open');
  await page.getByTestId('pulse-ms-3').fill('600000');
  await page.getByTestId('pulse-3').click();
  await expect(page.getByTestId('pin-row-3')).toContainText('Pulse until');
  await api('/api/remote/gpio/write', { pin: 3, level: 0 });
  await expect(page.getByTestId('pin-row-3')).not.toContainText('Pulse until');
  await api('/api/remote/simulate', { part: 'gpio', pin: 0, level: 0 });
  await expect(page.getByTestId('pin-level-0')).toHaveText('low');
  await page.getByTestId('outside-0').click();
  await expect(page.getByTestId('pin-level-0')).toHaveText('high');
  await api('/api/remote/simulate', { part: 'gpio', pin: 0, level: 0 });
  expect(complaints).toEqual([]);
});

test('should list each part with one badge and a name in words', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, {
    token: await panel.token(),
    at: '#/devices/parts',
    locale: 'de-DE',
  });
  const rows = page.getByTestId('parts').locator('> li');
  await expect(rows.filter({ hasText: 'LED-Leiste' })).toHaveText(/LED-Leiste\s*Simuliert$/);
  await expect(page.getByTestId('parts-count')).toContainText(/Echt: \d+ · Simuliert: \d+/);
  for (const row of await rows.all()) {
    await expect(row.locator('.badge')).toHaveCount(1);
    await expect(row).toHaveText(/^\p{Lu}/u);
  }
});

test('should set the LED bar, and say how a program does', async ({ panel, openManage }) => {
  const api = await apiOf(panel);
  await api('/api/remote/led/on', { on: false });
  const { page } = await openManage(panel, {
    token: await panel.token(),
    at: '#/devices/hardware',
    developer: true,
  });
  await expect(page.getByTestId('led-state')).toContainText('off');
  await page.getByTestId('led-switch').click();
  await page.getByTestId('led-amber').click();
  await expect(page.getByTestId('led-state')).toContainText(/^on · Amber/);
  await page.getByTestId('led-brightness').fill('50');
  await expect(page.getByTestId('led-state')).toHaveText('on · Amber · 50 %');
  const state = async () => (await api('/api/remote/led/state')).body;
  await expect.poll(state).toMatchObject({ state: { on: true, red: 128, green: 70, blue: 0 } });
  // Another colour has the same brightness, also one of the person's own.
  await page.getByTestId('led-picker').fill('#00ff80');
  await expect.poll(state).toMatchObject({ state: { red: 0, green: 128, blue: 64 } });
  await page.getByTestId('led-amber').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('led-green')).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(state).toMatchObject({ state: { red: 0, green: 128, blue: 0 } });

  const shown = page.getByTestId('call-led.on');
  await shown.locator('summary').click();
  await expect(shown).toContainText(`curl -X POST '${await panel.url}/api/remote/led/on'`);
  await expect(shown).toContainText('$TOKEN');
  await expect(shown).toContainText(`-d '{"on":false}'`);
  await expect(shown).toContainText(`await container.call('led.on', {"on":false});`);
  await expect(shown).not.toContainText(await panel.token());
  await openView(page, 'devices/lines');
  const shell = page.getByTestId('call-terminal.exec');
  await shell.locator('summary').click();
  await expect(shell).toContainText('Pages do not have terminal.exec');
  await api('/api/remote/led/on', { on: false });
});

test('should send and receive on a serial line, as text and as hex, and close it', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { token: await panel.token(), at: '#/devices/lines' });
  const lines = page.getByTestId('serial-lines');
  await page.getByTestId('serial-listen').click();
  await expect(page.getByTestId('serial-state')).toHaveText('open');
  await page.getByTestId('serial-text').fill('Hello');
  await page.getByTestId('serial-end').selectOption('crlf');
  await page.getByTestId('serial-send').click();
  // The simulated peer echoes.
  await expect(lines.locator('.received')).toContainText('Hello··');
  await page.getByTestId('serial-writing').selectOption('hex');
  await expect(lines.locator('.sent')).toContainText('48 65 6C 6C 6F 0D 0A');
  await page.getByTestId('serial-text').fill('ca fe');
  await page.getByTestId('serial-peer').click();
  await expect(lines.locator('.received').last()).toContainText('CA FE');
  await page.getByTestId('serial-text').fill('xyz');
  await page.getByTestId('serial-send').click();
  await expect(page.getByTestId('notice')).toContainText('hex');
  await page.getByTestId('serial-listen').click();
  await expect(page.getByTestId('serial-state')).toHaveText('closed');
  // Leaving the view closes it, too.
  await page.getByTestId('serial-listen').click();
  await expect(page.getByTestId('serial-state')).toHaveText('open');
  await openView(page, 'system/log');
  await openView(page, 'devices/lines');
  await expect(page.getByTestId('serial-state')).toHaveText('closed');
});

test('should show what goes over the serial ports, whoever sends it, and take nothing away', async ({
  panel,
  openManage,
}) => {
  const api = await apiOf(panel);
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/devices/lines',
  });
  await page.getByTestId('monitor-on').click();
  const lines = page.getByTestId('lines');
  const line = { port: '/dev/ttyS9', baudRate: 9600 };
  await page.getByTestId('monitor-port').selectOption(line.port);
  await api('/api/remote/serial/write', { ...line, hex: '02 48 69' });
  // The simulated peer echoes.
  for (const direction of ['.sent', '.received']) {
    const last = lines.locator(direction).last();
    await expect(last).toContainText('/dev/ttyS9');
    await expect(last).toContainText('02 48 69');
    await expect(last).toContainText('·Hi');
    await expect(last.locator('time')).toHaveText(/^\d\d:\d\d:\d\d\.\d{3}$/);
  }
  const read = await api('/api/remote/serial/read', { ...line, timeout: 5_000, length: 3 });
  expect(read.body).toMatchObject({ data: '\x02Hi' });
  await page.getByTestId('monitor-port').selectOption('/dev/ttyS5');
  await expect(lines).not.toContainText('/dev/ttyS9');
  await api('/api/remote/serial/close', { port: '/dev/ttyS9' });
  expect(complaints).toEqual([]);
});

test('should send datagrams, and run commands', async ({ panel, openManage, udpPeer }) => {
  const { page } = await openManage(panel, {
    token: await panel.token(),
    at: '#/devices/lines',
    developer: true,
  });
  await page.getByTestId('udp-host').fill('127.0.0.1');
  await page.getByTestId('udp-port').fill(String(udpPeer.port));
  await page.getByTestId('udp-text').fill('Grüße');
  await page.getByTestId('udp-send').click();
  await expect(page.getByTestId('udp-sent')).toHaveText(`7 bytes have left for 127.0.0.1:${udpPeer.port}.`);
  await page.getByTestId('shell-command').fill('echo one; echo two >&2; exit 3');
  await page.getByTestId('shell-run').click();
  await expect(page.getByTestId('shell-outcome')).toContainText('one');
  await expect(page.getByTestId('shell-outcome').locator('.mistake')).toHaveText('two\n');
  await expect(page.getByTestId('shell-outcome')).toContainText('Exit code 3');
});

test('security: should say which scope a token lacks for the command line', async ({ panel, openManage }) => {
  const api = await apiOf(panel);
  const made = await api('/api/manage/tokens', { name: 'visitor', scopes: ['view'] });
  const { token, id } = made.body as { token: string; id: string };
  const { page } = await openManage(panel, { token, at: '#/devices/lines', developer: true });
  await page.getByTestId('shell-command').fill('id');
  await page.getByTestId('shell-run').click();
  await expect(page.getByTestId('problem')).toContainText('"terminal"');
  await openView(page, 'devices/hardware');
  await page.getByTestId('pin-switch-2').click();
  await expect(page.getByTestId('notice')).toContainText('"control"');
  await api(`/api/manage/tokens/${id}`, undefined, { method: 'DELETE' });
});

test('should say that a call waits for a yes at the panel, and what came of it', async ({
  startFaceplate,
  openManage,
}) => {
  const service = await startFaceplate({ args: ['--approval.commands', 'led.on'] });
  const { page } = await openManage(service, { token: await service.token(), at: '#/devices/hardware' });
  const answered = Promise.withResolvers<void>();
  // As long as somebody at the panel takes; this panel has no screen and answers at once.
  await page.route('**/api/remote/led/on', async (route) => {
    await answered.promise;
    await route.continue();
  });
  await page.getByTestId('led-switch').click();
  await expect(page.getByTestId('notice')).toContainText('Waits for approval at the panel', {
    timeout: 15_000,
  });
  answered.resolve();
  await expect(page.getByTestId('notice')).toContainText('there is no screen now to ask on', {
    timeout: 15_000,
  });
});

test('should try calls by subject, with a form made from the schema, and show an example of the answer', async ({
  panel,
  openManage,
}) => {
  const api = await apiOf(panel);
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/system/api',
    developer: true,
  });
  await page.getByTestId('tag-led').locator('summary').first().click();
  const colour = page.getByTestId('operation-led.color');
  await colour.locator('summary').click();
  for (const [name, value] of Object.entries({ red: '1', green: '2', blue: '3' }))
    await colour.getByTestId(`api-${name}`).fill(value);
  await expect(colour).toContainText(`-d '{"red":1,"green":2,"blue":3}'`);
  await colour.getByTestId('api-send').click();
  await expect(colour.getByTestId('api-answer')).toContainText('"blue": 3');
  expect((await api('/api/remote/led/state')).body).toMatchObject({ state: { red: 1, green: 2, blue: 3 } });
  await colour.getByText('Example of an answer').click();
  expect(JSON.parse((await colour.getByTestId('api-example').textContent()) ?? '')).toMatchObject({
    state: { on: true, red: 0 },
  });
  // One command takes one of several sets of values; what may be left out is not sent.
  await page.getByTestId('api-filter').fill('system.simulate');
  const simulate = page.getByTestId('operation-system.simulate');
  await simulate.locator('summary').click();
  await simulate.getByTestId('api-variant').selectOption('proximity');
  await expect(simulate).toContainText(`-d '{"part":"proximity","near":true}'`);
  await page.getByTestId('api-filter').fill('projects.fetch');
  const fetched = page.getByTestId('operation-projects.fetch');
  await fetched.locator('summary').click();
  await expect(fetched.getByTestId('api-url')).toBeVisible();
  expect(await seriousFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
