import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import type { Mosquitto } from '../../server/testing/mosquitto.ts';
import { apiOf } from '../api.ts';
import { test as base, expect } from '../manageBrowser.ts';
import { openView, seriousFaults, tooWide } from '../manageViews.ts';
import { type Fate, forgetPanels, SimulatedPanels } from '../peers/simulatedPanels.ts';

const test = base.extend<{ owner: FaceplateProcess }>({
  /** The panel that rolls out, alone on the broker when a test begins. */
  owner: async ({ sharedFaceplate, broker }, use) => {
    const env = {
      FACEPLATE_MQTT_URL: broker.url,
      FACEPLATE_MQTT_FLEET: 'true',
      FACEPLATE_MQTT_ID: 'owner',
    };
    const service = await sharedFaceplate({ env });
    const api = await apiOf(service);
    const listed = async () =>
      ((await api('/api/manage/fleet')).body.panels as { id: string }[]).map(({ id }) => id);
    await expect.poll(listed).toEqual(['owner']);
    await use(service);
    await forgetPanels(broker, await listed());
  },
});

let panels: SimulatedPanels | undefined;
test.afterEach(async () => {
  await panels?.stop();
  panels = undefined;
});

const play = async (broker: Mosquitto, count: number, fate: (at: number) => Fate = () => 'good') => {
  panels = await SimulatedPanels.start({ url: broker.url, count, fate });
};

test('should roll a project out to chosen panels, show its course, and again to those left', async ({
  owner: service,
  broker,
  openManage,
}) => {
  test.slow();
  await play(broker, 4, (at) => (at === 1 ? 'STORAGE_FULL' : 'good'));
  const { page, complaints } = await openManage(service, { token: await service.token(), at: '#/fleet' });
  await expect(page.getByTestId('fleet').locator('> li')).toHaveCount(5);
  await expect(page.getByTestId('panel-owner')).toContainText('this panel');
  await expect(page.getByTestId('panel-sim-0002')).toContainText('Simulated 2');
  await expect(page.getByTestId('rollout-begin')).toBeDisabled();
  await page.getByTestId('fleet-search').fill('simulated');
  await expect(page.getByTestId('fleet').locator('> li')).toHaveCount(4);
  await page.getByTestId('fleet-choose').click();
  await page.getByTestId('rollout-url').fill('http://files.lan/lobby.zip');
  await page.getByTestId('rollout-sha256').fill('xyz');
  await page.getByTestId('rollout-name').fill('Lobby');
  await page.getByTestId('rollout-parallel').fill('1');
  await page.getByTestId('rollout-healthyFor').fill('1');
  await page.getByTestId('rollout-begin').click();
  await page.getByTestId('yes').click();
  await expect(page.getByTestId('rollout-mistake')).toContainText('params.sha256');
  await page.getByTestId('rollout-sha256').fill('a'.repeat(64));
  await page.getByTestId('rollout-begin').click();
  await page.getByTestId('yes').click();
  await expect(page.getByTestId('course-state')).toHaveText('stopped', { timeout: 30_000 });
  await expect(page.getByTestId('course')).toContainText('sim-0001 failed: STORAGE_FULL');
  await expect(page.getByTestId('course-healthy')).toContainText('sim-0000');
  await expect(page.getByTestId('course-waiting')).toContainText('2');
  expect(panels!.told).toEqual(['sim-0000', 'sim-0001']);

  // Its course is there for who looks later, in another browser too.
  const later = await openManage(service, { token: await service.token(), at: '#/fleet', width: 390 });
  await expect(later.page.getByTestId('course-failed')).toContainText('STORAGE_FULL');
  expect(await tooWide(later.page)).toBe(0);
  expect(await seriousFaults(later.page)).toEqual([]);

  // The form is filled for those that are left.
  await page.getByTestId('course-again').click();
  await expect(page.getByTestId('rollout-url')).toHaveValue('http://files.lan/lobby.zip');
  await page.getByTestId('fleet-search').fill('');
  await page.getByTestId('choose-sim-0001').uncheck();
  await page.getByTestId('rollout-healthyFor').fill('1');
  await page.getByTestId('rollout-begin').click();
  await page.getByTestId('yes').click();
  await expect(page.getByTestId('course-state')).toHaveText('done', { timeout: 30_000 });
  await expect(page.getByTestId('rollouts')).toContainText('stopped');
  await page.getByTestId('rollouts').getByRole('button').first().click();
  await expect(page.getByTestId('course-state')).toHaveText('stopped');
  await expect(page.getByTestId('differs-sim-0001')).toContainText('000000000000');
  expect(await seriousFaults(page)).toEqual([]);
  // The browser itself reports the digest that was refused.
  expect(complaints.filter((text) => !/400/.test(text))).toEqual([]);
});

test('should say whether the broker is there, and how many entities Home Assistant has', async ({
  owner: service,
  openManage,
}) => {
  const { page, complaints } = await openManage(service, {
    token: await service.token(),
    at: '#/connections/broker',
  });
  await expect(page.getByTestId('mqtt-state')).toHaveText(/^Connected to the broker as owner/);
  await expect(page.getByTestId('view')).toContainText(/Entities in Home Assistant\s*[1-9]\d/);
  await page.getByTestId('mqtt-test').click();
  await expect(page.getByTestId('mqtt-tested')).toHaveText('It works: the broker answers.');
  await expect(page.getByTestId('setting-mqtt.url')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('should stop a roll-out by hand', async ({ owner: service, broker, openManage }) => {
  await play(broker, 3);
  const api = await apiOf(service);
  const { page } = await openManage(service, { token: await service.token(), at: '#/fleet' });
  await expect(page.getByTestId('fleet').locator('> li')).toHaveCount(4);
  const params = { url: 'http://files.lan/x.zip', sha256: 'b'.repeat(64), name: 'Lobby' };
  const asked = { groups: ['all'], command: 'projects.fetch', params, healthyFor: 3_600 };
  expect((await api('/api/manage/fleet/rollout', asked)).status).toBe(200);
  await expect(page.getByTestId('course-proving')).toBeVisible();
  await page.getByTestId('course-stop').click();
  await page.getByTestId('yes').click();
  await expect(page.getByTestId('course-state')).toHaveText('stopped');
  await expect(page.getByTestId('course')).toContainText('stopped by hand');
});

test('should take settings of this panel, without secrets and identity, what is changed first', async ({
  owner: service,
  broker,
  openManage,
}) => {
  await play(broker, 1);
  const api = await apiOf(service);
  await api(
    '/api/manage/settings',
    { idle: { saverAfter: 90 }, sip: { password: 's3cret-word' }, device: { name: 'Hall' } },
    { method: 'PATCH' },
  );
  const { page } = await openManage(service, { token: await service.token(), at: '#/fleet' });
  await expect(page.getByTestId('profile-changed')).toContainText('idle.saverAfter');
  await expect(page.getByTestId('profile-idle.saverAfter')).toBeChecked();
  await expect(page.getByTestId('profile-mqtt.url')).not.toBeChecked();
  for (const key of ['sip.password', 'device.name', 'mqtt.id', 'http.port', 'token', 'https.key'])
    await expect(page.getByTestId(`profile-${key}`)).toHaveCount(0);
  for (const box of await page.getByTestId('profile-changed').getByRole('checkbox').all())
    await box.uncheck();
  await expect(page.getByTestId('profile-take')).toBeDisabled();
  await page.getByTestId('profile-idle.saverAfter').check();
  await page.getByTestId('profile-take').click();
  await expect(page.getByTestId('rollout-command')).toHaveValue('settings.change');
  await expect(page.getByTestId('rollout-value-idle.saverAfter')).toHaveValue('90');
  expect(await page.content()).not.toContain('s3cret-word');
  const rollouts = async () =>
    ((await api('/api/manage/fleet/rollout')).body.rollouts as readonly unknown[]).length;
  const before = await rollouts();
  // Another one is chosen by its name; what is wrong with it is said at it, and nothing begins.
  await page.getByTestId('rollout-add').selectOption('kiosk.pages');
  await page.getByTestId('rollout-value-kiosk.pages-add').click();
  await page.getByTestId('rollout-value-kiosk.pages-0-name').fill('Hall');
  await page.getByTestId('rollout-value-kiosk.pages-0-url').fill('ftp://hub.lan/');
  await page.getByTestId('choose-sim-0000').check();
  await page.getByTestId('rollout-begin').click();
  await page.getByTestId('yes').click();
  await expect(page.getByTestId('rollout-setting-kiosk.pages')).toContainText('must be an http or https URL');
  expect(await rollouts()).toBe(before);
  // As by default on the other panel, whatever that is there.
  await page.getByTestId('rollout-setting-kiosk.pages').getByLabel('Use default').check();
  const asked = page.waitForRequest('**/api/manage/fleet/rollout');
  await page.getByTestId('rollout-begin').click();
  await page.getByTestId('yes').click();
  expect((await asked).postDataJSON()).toMatchObject({
    ids: ['sim-0000'],
    command: 'settings.change',
    params: { 'idle.saverAfter': 90, 'kiosk.pages': null },
  });
  expect(await seriousFaults(page)).toEqual([]);
  expect(await page.content()).not.toContain('s3cret-word');
});

test('should say how to switch it on, and whether the broker is there', async ({ panel, openManage }) => {
  const { page, complaints } = await openManage(panel, { token: await panel.token(), at: '#/fleet' });
  await expect(page.getByTestId('turn-on')).toHaveText('Listen to other panels');
  await expect(page.getByTestId('fleet')).toHaveCount(0);
  await openView(page, 'connections/broker');
  await expect(page.getByTestId('mqtt-state')).toContainText('Not connected');
  expect(complaints).toEqual([]);
});

test('security: what a panel says should never become markup, nor lead elsewhere', async ({
  panel,
  openManage,
}) => {
  const markup = `<img src="x" onerror="window.harmed=1"><script>window.harmed=1</script>'"\`\${1}{text}`;
  const hostile = {
    ...{
      id: 'hostile',
      name: markup,
      version: markup,
      board: markup,
      address: 'evil.example/x?',
      online: true,
    },
    ...{ groups: ['hall'], since: '2026-11-22T08:00:00.000Z', update: { installed: markup } },
    page: { url: markup, title: markup, state: markup },
    project: { id: 'x', name: markup, version: markup },
  };
  const rollout = {
    ...{ id: 'r', state: 'stopped', reason: markup, command: 'projects.fetch', endedAt: null },
    startedAt: '2026-11-22T08:00:00.000Z',
  };
  const answers: Readonly<Record<string, object>> = {
    '/api/manage/fleet': { panels: [hostile] },
    '/api/manage/fleet/rollout': { rollouts: [{ ...rollout, counts: {} }] },
    '/api/manage/fleet/rollout/r': {
      ...rollout,
      panels: [{ id: 'hostile', state: 'failed', reason: markup }],
    },
  };
  const { page } = await openManage(panel, { token: await panel.token() });
  await page.route('**/api/manage/fleet**', (route) =>
    route.fulfill({ json: answers[new URL(route.request().url()).pathname] }),
  );
  await page.route('**/api/manage/settings', async (route) => {
    const answer = await (await route.fetch()).json();
    answer.settings['mqtt.fleet'].value = true;
    await route.fulfill({ json: answer });
  });
  await openView(page, 'fleet');
  await expect(page.getByTestId('panel-hostile')).toContainText('<script>');
  await expect(page.getByTestId('course-failed')).toContainText('<script>');
  expect(await page.evaluate(() => (window as { harmed?: unknown }).harmed)).toBeUndefined();
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await page.locator('main .content a').count()).toBe(0);
});

for (const [locale, heading, tab] of [
  ['de-DE', 'Die anderen Panels', 'Flotte'],
  ['es-ES', 'Los otros paneles', 'Flota'],
] as const)
  test(`should speak ${locale} on the view of the fleet`, async ({ panel, openManage }) => {
    const { page } = await openManage(panel, {
      token: await panel.token(),
      at: '#/fleet',
      locale,
      width: 390,
    });
    await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
    await expect(page.getByTestId('tab-fleet')).toHaveText(tab);
    expect(await tooWide(page)).toBe(0);
  });
