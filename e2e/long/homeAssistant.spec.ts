import { mkdirSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { followEvents } from '../heardEvents.ts';
import { House } from '../homeAssistant/house.ts';
import { noHomeAssistant } from '../homeAssistant/install.ts';
import { shootHomeAssistant } from '../homeAssistant/pictures.ts';
import { kioskPage } from '../kioskService.ts';
import { ch5Library } from '../peers/ch5Library.ts';

const MINUTE_MS = 60_000;
const SLOW = { timeout: 90_000, intervals: [250] };

// One house through its days: a panel appears, is used both ways, restarts and changes.
test.describe.configure({ mode: 'serial' });
test.skip(noHomeAssistant() !== false, String(noHomeAssistant()));
test.setTimeout(5 * MINUTE_MS);

let house: House;

test.beforeAll(async () => {
  test.setTimeout(30 * MINUTE_MS);
  house = await House.start((line) => process.stdout.write(`${line}\n`));
});

test.afterAll(async () => {
  test.setTimeout(5 * MINUTE_MS);
  await house?.stop();
});

// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
test.afterEach(async ({}, testInfo) => {
  if (testInfo.status === testInfo.expectedStatus || house === undefined) return;
  const body = `${house.server.output.slice(-6_000)}\n\n${house.panel.output.slice(-6_000)}`;
  await testInfo.attach('logs', { body, contentType: 'text/plain' });
  process.stderr.write(body);
});

const KEYS = [
  'led screen relay1 relay2 input1 input2 edge1 edge2 volume mute dnd page url message speak siren',
  'ir_ir1 ir_ir2 ir_ir_in room_temperature humidity scan_reader update reload home reboot door_front ring screenshot idle title call version load memory address in_use',
]
  .join(' ')
  .split(' ');

/** Of Home Assistant: unknown is no state that a panel has told. */
const isTold = async (key: string) =>
  !['unknown', 'unavailable', 'unknown entity'].includes(await house.state(key));

/** A time for the reader of the run. */
const tell = (what: string, since: number) =>
  process.stdout.write(`${what}: ${Math.round(performance.now() - since)} ms\n`);

async function led() {
  return (await house.api('/api/remote/led/state')).body.state;
}
async function pin(number: number) {
  return (await house.api('/api/remote/gpio/read', { pin: number })).body.level;
}
const simulate = (number: number, level: number) =>
  house.api('/api/remote/simulate', { part: 'gpio', pin: number, level });

test('should appear as one device with everything that the panel has', async () => {
  await expect.poll(async () => (await house.entities()).length, SLOW).toBeGreaterThanOrEqual(KEYS.length);
  const found = (await house.entities()).map(({ unique_id }) => unique_id.replace('faceplate_hall_', ''));
  expect(found.filter((key) => key !== 'temperature').toSorted()).toEqual(KEYS.toSorted());
  expect(await house.devices()).toMatchObject([{ name: 'Hall' }]);
  for (const { unique_id, entity_id } of await house.entities())
    expect(entity_id).toMatch(new RegExp(`^[a-z_]+\\.hall_${unique_id.replace('faceplate_hall_', '')}$`));
});

test('should have a state for each entity that has one, and no word of complaint', async () => {
  // What has not happened yet, and what is only told.
  const without = [
    'edge1',
    'edge2',
    'ring',
    'message',
    'speak',
    'reload',
    'home',
    'reboot',
    'door_front',
    'page',
    'ir_ir1',
    'ir_ir2',
    'ir_ir_in',
    'scan_reader',
  ];
  for (const key of KEYS.filter((each) => !without.includes(each)))
    await expect.poll(() => isTold(key), { ...SLOW, message: key }).toBe(true);
  expect(house.server.output).not.toMatch(/(?:WARNING|ERROR).*components\.mqtt/);
});

test('should take what Home Assistant sets', async () => {
  const { act, api } = { act: house.act.bind(house), api: house.api };
  const display = async () => (await api('/api/remote/display')).body;
  await act('light.turn_on', 'led', { rgb_color: [255, 120, 0], brightness: 128 });
  await expect.poll(led, SLOW).toEqual({ on: true, red: 128, green: 60, blue: 0 });
  await act('light.turn_on', 'led', { brightness: 255 });
  await expect.poll(led, SLOW).toMatchObject({ red: 255, green: 120 });
  await act('light.turn_off', 'led');
  await expect.poll(led, SLOW).toMatchObject({ on: false });
  await act('light.turn_on', 'screen', { brightness_pct: 40 });
  await expect.poll(display, SLOW).toMatchObject({ on: true, brightness: 40 });
  await act('light.turn_off', 'screen');
  await expect.poll(display, SLOW).toMatchObject({ on: false });
  await act('light.turn_on', 'screen');
  await expect.poll(display, SLOW).toMatchObject({ on: true, brightness: 40 });
  await act('switch.turn_on', 'relay1');
  await expect.poll(() => pin(2), SLOW).toBe(1);
  await act('switch.turn_off', 'relay1');
  await expect.poll(() => pin(2), SLOW).toBe(0);
  await act('number.set_value', 'volume', { value: 35 });
  await expect.poll(display, SLOW).toMatchObject({ volume: 35 });
  await act('switch.turn_on', 'mute');
  await expect.poll(display, SLOW).toMatchObject({ muted: true });
  await act('switch.turn_off', 'mute');
  await act('switch.turn_on', 'dnd');
  await expect.poll(async () => (await api('/api/remote/intercom')).body.doNotDisturb, SLOW).toBe(true);
  await act('switch.turn_off', 'dnd');
  const page = async () => (await api('/api/remote/page')).body;
  await act('select.select_option', 'page', { option: 'News' });
  await expect
    .poll(page, SLOW)
    .toMatchObject({ url: `${house.site.origin()}/news`, title: 'News', state: 'shown' });
  await act('text.set_value', 'url', { value: `${house.site.origin()}/weather` });
  await expect.poll(page, SLOW).toMatchObject({ title: 'Weather' });
  await act('button.press', 'home');
  await expect.poll(page, SLOW).toMatchObject({ home: true });
  await act('button.press', 'reload');
  await act('notify.send_message', 'message', { message: 'Tea is ready' });
  await act('notify.send_message', 'speak', { message: 'Tea' });
  await act('siren.turn_on', 'siren', { tone: 'bell', volume_level: 0.5 });
  await act('siren.turn_off', 'siren');
  await act('button.press', 'door_front');
  // Each was a command, of a caller on the broker.
  await expect
    .poll(async () => {
      const { entries } = (await api('/api/manage/journal?limit=200')).body as {
        entries: { surface: string; command: string; code: string; caller: { name: string } }[];
      };
      // An automation of the recipes tells its joins to a page that has none.
      const heard = entries.filter(({ surface, command }) => surface === 'mqtt' && command !== 'joins.set');
      return [...new Set(heard.map(({ command }) => command))].toSorted();
    }, SLOW)
    .toEqual(
      'display.set gpio.write intercom.dnd intercom.door kiosk.reload led.color led.on message.show page.home page.show sound.play sound.speak sound.stop'.split(
        ' ',
      ),
    );
});

test('should show what happens at the panel', async () => {
  const { api } = house;
  const states = (...keys: string[]) => Promise.all(keys.map((key) => house.state(key)));
  await api('/api/remote/led/on', { on: true });
  await api('/api/remote/led/color', { red: 0, green: 0, blue: 100 });
  await expect
    .poll(async () => (await house.entity('led'))?.attributes, SLOW)
    .toMatchObject({ rgb_color: [0, 0, 255], brightness: 100 });
  await api('/api/remote/gpio/write', { pin: 3, level: 1 });
  await expect.poll(() => states('relay1', 'relay2'), SLOW).toEqual(['off', 'on']);
  await api('/api/remote/gpio/write', { pin: 3, level: 0 });
  await api('/api/remote/display', { volume: 61, brightness: 100, muted: false });
  await expect.poll(() => states('volume', 'mute'), SLOW).toEqual(['61', 'off']);
  await simulate(0, 1);
  await expect.poll(() => states('input1', 'input2'), SLOW).toEqual(['on', 'off']);
  await expect.poll(async () => (await house.entity('edge1'))?.attributes.event_type, SLOW).toBe('high');
  await simulate(0, 0);
  await expect.poll(async () => (await house.entity('edge1'))?.attributes.event_type, SLOW).toBe('low');
  await api('/api/remote/page/show', { page: 'Weather' });
  await expect
    .poll(() => states('page', 'title', 'url'), SLOW)
    .toEqual(['Weather', 'Weather', `${house.site.origin()}/weather`]);
  await api('/api/remote/page/home', {});
  await expect.poll(() => states('page'), SLOW).toEqual(['unknown']);
  await api('/api/remote/display/activity', {});
  await expect.poll(() => states('in_use', 'idle'), SLOW).toEqual(['on', 'active']);
  await api('/api/remote/display', { on: false });
  await expect.poll(() => states('screen', 'idle'), SLOW).toEqual(['off', 'off']);
  await api('/api/remote/display', { on: true });
  const { entity_id } = (await house.entity('screenshot'))!;
  const jpeg = await house.server.image(entity_id);
  expect([...jpeg.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
});

test('should do what the automations of the guide say', async () => {
  // Before that, nothing triggers an automation.
  await house.server.isUp();
  const rings = async () => (await house.entity('edge1'))?.state;
  const before = await rings();
  await simulate(0, 1);
  await expect.poll(rings, SLOW).not.toBe(before);
  const said = async () => {
    const { entries } = (await house.api('/api/manage/journal?limit=200')).body as {
      entries: { command: string; params: Record<string, unknown> }[];
    };
    return entries.map(({ command, params }) => `${command} ${JSON.stringify(params)}`);
  };
  await expect
    .poll(said, SLOW)
    .toContainEqual(expect.stringMatching(/message\.show.*Somebody is at the door/));
  await expect.poll(said, SLOW).toContainEqual(expect.stringMatching(/sound\.play.*bell/));
  await simulate(0, 0);

  const trigger = (name: string) => house.server.act('automation.trigger', `automation.${name}`);
  await trigger('screen_off_at_night');
  await expect.poll(() => house.state('screen'), SLOW).toBe('off');
  await trigger('screen_on_in_the_morning');
  await expect
    .poll(async () => (await house.api('/api/remote/display')).body, SLOW)
    .toMatchObject({ on: true, brightness: 40 });

  await trigger('welcome_the_guest');
  await expect
    .poll(said, SLOW)
    .toContainEqual(expect.stringMatching(/message\.show.*welcome.*Coffee, please/));
  await trigger('coffee_for_the_guest');
  await expect.poll(() => pin(3), SLOW).toBe(1);

  await house.server.call('POST', '/api/events/open_the_door');
  await expect.poll(() => pin(2), SLOW).toBe(1);
  await expect.poll(() => pin(2), SLOW).toBe(0);

  await trigger('ring_of_the_intercom');
  await expect.poll(led, SLOW).toMatchObject({ on: true, red: 255, green: 120, blue: 0 });
});

test('should steer a device by an infrared emitter, and follow its remote control by the receiver', async () => {
  const id = async (key: string) => (await house.entity(key))!.entity_id;
  const flow = '/api/config/config_entries/flow';
  const { flow_id } = await house.server.call('POST', flow, { handler: 'led_infrared' });
  const made = await house.server.call('POST', `${flow}/${String(flow_id)}`, {
    device_type: 'generic_24_key',
    infrared_entity_id: await id('ir_ir1'),
    infrared_receiver_entity_id: await id('ir_ir_in'),
  });
  expect(made.type, JSON.stringify(made)).toBe('create_entry');
  const all = await house.server.ask<{ entity_id: string; platform: string }[]>(
    'config/entity_registry/list',
  );
  const ofStrip = (domain: string) =>
    all.find(({ entity_id, platform }) => platform === 'led_infrared' && entity_id.startsWith(domain))!
      .entity_id;
  const [strip, keys] = [ofStrip('light.'), ofStrip('event.')];
  const state = async () => (await house.server.state(strip))!.state;
  const key = async () => (await house.server.state(keys))!.attributes.event_type;
  const events = await followEvents(house.panel, 'ir', ({ code }) => JSON.stringify(code));

  await house.server.act('light.turn_off', strip);
  await expect.poll(key, SLOW).toBe('off');
  const off = JSON.parse(events.heard.at(-1)!) as object;
  await house.server.act('light.turn_on', strip, { effect: 'red' });
  await expect.poll(key, SLOW).toBe('red');
  expect(await state()).toBe('on');
  // The strip's own remote control.
  expect(await house.api('/api/remote/simulate', { part: 'ir', code: off })).toMatchObject({ status: 200 });
  await expect.poll(state, SLOW).toBe('off');
  expect(await key()).toBe('off');
  await events.end();

  // A key of any remote control, by the recipe.
  const lamp = async () => (await house.server.state('light.hall'))!.state;
  expect(await lamp()).toBe('off');
  for (const lit of ['on', 'off']) {
    const code = { protocol: 'rc5', address: 5, command: 55 };
    await house.api('/api/remote/simulate', { part: 'ir', code });
    await expect.poll(lamp, SLOW).toBe(lit);
  }
});

/** A CH5 project as its author made it: nothing in it knows this panel. */
const CH5_PAGE = `<!doctype html><script src="cr-com-lib.js"></script>
<ch5-button id="light" label="Light" sendEventOnClick="1" receiveStateSelected="1"></ch5-button>
<script>
  const got = {};
  CrComLib.subscribeState('s', '3', (value) => { got.song = value; });
  CrComLib.subscribeState('b', 'Csig.All_Control_Systems_Online_fb', (value) => { got.isOnline = value; });
</script>`;

test('should be the processor of a CH5 project, by the recipe', async () => {
  const folder = test.info().outputPath('library');
  mkdirSync(folder, { recursive: true });
  const script = await ch5Library(folder);
  test.skip(script === undefined, 'the npm packages cannot be reached');
  await house.show('ch5', [
    { name: 'index.html', content: CH5_PAGE },
    { name: 'cr-com-lib.js', content: script! },
    { name: 'joins.json', content: JSON.stringify({ version: 1 }) },
  ]);
  const lamp = async () => (await house.server.state('light.hall'))!;
  const shown = async () => {
    const { page, detach } = await kioskPage(house.panel);
    await expect(page.locator('#light')).toBeVisible(SLOW);
    const run = (words: string) => page.evaluate(words).catch(() => undefined);
    // Until then the library hears no touch.
    await expect.poll(() => run('got.isOnline'), SLOW).toBe(true);
    return {
      detach,
      press: () => page.locator('#light').click(),
      dim: (level: number) => run(`CrComLib.publishEvent('n', '2', ${level})`),
      song: () => run('got.song'),
      isLit: () => run(`document.querySelector('#light').outerHTML.includes('--selected')`),
    };
  };

  // The guest of the test before; a page under a question hears no touch.
  await house.api('/api/remote/message/welcome', undefined, { method: 'DELETE' });
  let page = await shown();
  await expect.poll(async () => (await lamp()).state, SLOW).toBe('off');
  await page.press();
  await expect.poll(async () => (await lamp()).state, SLOW).toBe('on');
  await expect.poll(page.isLit, SLOW).toBe(true);
  await page.dim(32_768);
  await expect.poll(async () => (await lamp()).attributes.brightness, SLOW).toBe(128);
  await house.server.pretend('media_player.hall', 'playing', { media_title: 'Blue "Danube"' });
  await expect.poll(page.song, SLOW).toBe('Blue "Danube"');
  await house.server.act('light.turn_off', 'light.hall');
  await expect.poll(page.isLit, SLOW).toBe(false);
  await page.detach();

  // A panel that starts again gets the values from its processor, and presses nothing.
  await house.panel.stop();
  await house.startPanel();
  page = await shown();
  await expect.poll(page.song, SLOW).toBe('Blue "Danube"');
  expect([(await lamp()).state, await page.isLit()]).toEqual(['off', false]);
  await page.detach();
  await house.api('/api/manage/projects/ch5', undefined, { method: 'DELETE' });
});

test('should look right on its device page and on a dashboard', async () => {
  const folder = process.env.PICTURES ?? test.info().outputPath('pictures');
  await shootHomeAssistant(house, folder);
});

test('should be unavailable while the panel is gone, and back when it is', async () => {
  await house.panel.stop('SIGKILL');
  await expect.poll(() => house.state('screen'), SLOW).toBe('unavailable');
  const at = performance.now();
  await house.startPanel();
  await expect.poll(() => house.state('screen'), SLOW).toBe('on');
  tell('entities are back after the start of the panel', at);
});

test('should survive a restart of the broker, and one that has lost everything', async () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await house.broker.kill(signal);
    await expect.poll(() => house.state('screen'), SLOW).toBe('unavailable');
    const at = performance.now();
    await house.broker.start();
    await expect.poll(() => house.state('screen'), SLOW).toBe('on');
    tell('entities are back after the start of the broker', at);
  }
});

test('should survive a restart of Home Assistant, also when it changed meanwhile', async () => {
  await house.server.stop();
  await house.api('/api/remote/gpio/write', { pin: 2, level: 1 });
  await house.settings({ kiosk: { pages: null } });
  const at = performance.now();
  await house.server.start();
  await expect.poll(() => house.state('relay1'), SLOW).toBe('on');
  tell('entities are back after Home Assistant answers', at);
  await expect.poll(() => house.state('page'), SLOW).toBe('unknown entity');
  for (const key of ['led', 'volume', 'version', 'in_use', 'call'])
    await expect.poll(() => isTold(key), { ...SLOW, message: key }).toBe(true);
});

test('should lose entities that go, and get them back', async () => {
  await house.settings({ kiosk: { pages: [{ name: 'News', url: `${house.site.origin()}/news` }] } });
  await expect.poll(() => house.state('page'), SLOW).toBe('unknown');
  await house.settings({ kiosk: { pages: null } });
  await expect.poll(() => house.state('page'), SLOW).toBe('unknown entity');
  await house.settings({ mqtt: { scopes: ['view', 'control'] } });
  await expect.poll(() => house.state('reboot'), SLOW).toBe('unknown entity');
  await expect.poll(() => isTold('led'), SLOW).toBe(true);
  await house.settings({ mqtt: { scopes: ['view', 'control', 'manage', 'doors'] } });
  await expect.poll(() => house.state('reboot'), SLOW).not.toBe('unknown entity');
});

test('should take another name and another language', async () => {
  await house.settings({ device: { name: 'Diele', language: 'de' } });
  await expect.poll(() => house.devices(), SLOW).toMatchObject([{ name: 'Diele' }]);
  await expect
    .poll(async () => (await house.entity('led'))?.attributes.friendly_name, SLOW)
    .toBe('Diele LED-Leiste');
  await expect.poll(() => isTold('led'), SLOW).toBe(true);
  await house.settings({ device: { name: 'Hall', language: 'en' } });
});

test('should come back after it was deleted in Home Assistant', async () => {
  const [device] = await house.devices();
  const entries = await house.server.ask<{ entry_id: string; domain: string }[]>('config_entries/get');
  const config_entry_id = entries.find(({ domain }) => domain === 'mqtt')!.entry_id;
  await house.server.ask('config/device_registry/remove_config_entry', {
    device_id: device!.id,
    config_entry_id,
  });
  await expect.poll(() => house.devices(), SLOW).toEqual([]);
  await house.panel.stop();
  await house.startPanel();
  await expect.poll(() => house.state('screen'), SLOW).toBe('on');
});

test('should be gone without discovery, and be a new device under another id', async () => {
  await house.settings({ mqtt: { discovery: '' } });
  await expect.poll(() => house.devices(), SLOW).toEqual([]);
  await house.settings({ mqtt: { discovery: 'homeassistant' } });
  await expect.poll(() => house.state('screen'), SLOW).toBe('on');
  await house.settings({ mqtt: { id: 'hall2' } });
  await expect
    .poll(
      async () => [...new Set((await house.entities()).map(({ unique_id }) => unique_id.split('_')[1]))],
      SLOW,
    )
    .toEqual(['hall2']);
});
