import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import type { House } from './house.ts';

/** Time for cards and pictures to be drawn, in milliseconds. */
const DRAWN_MS = 4_000;
const COLOURS = 128;

/**
 * Makes pictures of the panel in Home Assistant, for the documentation: its device page, and a dashboard with its entities.
 * @param folder gets home-assistant-device.png and home-assistant-dashboard.png
 */
export async function shootHomeAssistant(house: House, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium' });
  const context = await browser.newContext({
    viewport: { width: 860, height: 1_400 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  try {
    await house.server.isUp();
    await signIn(context, house);
    const [device] = await house.devices();
    const page = await context.newPage();
    await page.goto(`${house.server.url}/config/devices/device/${device!.id}`);
    await shoot(page, join(folder, 'home-assistant-device.png'));
    await makeDashboard(house);
    await page.setViewportSize({ width: 1_280, height: 600 });
    await page.goto(`${house.server.url}/panel-hall/hall`);
    await shoot(page, join(folder, 'home-assistant-dashboard.png'));
  } finally {
    await browser.close();
  }
}

/** Signed in as the test is; nothing leaves this machine, such as icons of brands. */
async function signIn(context: BrowserContext, { server }: House): Promise<void> {
  await context.route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  const hassTokens = {
    ...server.tokens,
    hassUrl: server.url,
    clientId: `${server.url}/`,
    // It renews the token by itself.
    expires: 0,
  };
  await context.addInitScript(
    `localStorage.setItem('hassTokens', ${JSON.stringify(JSON.stringify(hassTokens))}); localStorage.setItem('dockedSidebar', '"always_hidden"');`,
  );
}

/** A dashboard with what a person uses, as the device page adds it: entities with their own names. */
async function makeDashboard({ server }: House): Promise<void> {
  await server.ask('lovelace/dashboards/create', {
    url_path: 'panel-hall',
    title: 'Hall panel',
    mode: 'storage',
  });
  const tile = (entity: string, features: object[] = []) => ({ type: 'tile', entity, features });
  const heading = (text: string) => ({ type: 'heading', heading: text });
  const config = {
    views: [
      {
        title: 'Hall',
        path: 'hall',
        type: 'sections',
        sections: [
          {
            type: 'grid',
            cards: [
              heading('Screen'),
              { type: 'picture-entity', entity: 'image.hall_screenshot', show_state: false },
              tile('light.hall_screen', [{ type: 'light-brightness' }]),
              tile('select.hall_page'),
              tile('button.hall_reload'),
              tile('button.hall_home'),
            ],
          },
          {
            type: 'grid',
            cards: [
              heading('Hardware'),
              tile('light.hall_led', [{ type: 'light-brightness' }]),
              tile('switch.hall_relay1'),
              tile('switch.hall_relay2'),
              tile('binary_sensor.hall_input1'),
              tile('binary_sensor.hall_input2'),
              tile('event.hall_edge1'),
              tile('binary_sensor.hall_in_use'),
            ],
          },
          {
            type: 'grid',
            cards: [
              heading('Sound and intercom'),
              tile('number.hall_volume'),
              tile('switch.hall_mute'),
              tile('siren.hall_siren'),
              tile('switch.hall_dnd'),
              tile('event.hall_ring'),
              tile('sensor.hall_call'),
              tile('button.hall_door_front'),
            ],
          },
        ],
      },
    ],
  };
  await server.ask('lovelace/config/save', { url_path: 'panel-hall', config });
}

/** Fewer colours: a third of the bytes, and nobody sees it. */
async function shoot(page: Page, path: string): Promise<void> {
  await page.locator('#ha-launch-screen').waitFor({ state: 'detached', timeout: 60_000 });
  await page
    .getByText(/Relay 1/)
    .first()
    .waitFor({ timeout: 60_000 });
  await page.waitForTimeout(DRAWN_MS);
  await page.screenshot({ path });
  const palette = [
    '-dither',
    'None',
    '-colors',
    String(COLOURS),
    '-strip',
    '-define',
    'png:compression-level=9',
  ];
  execFileSync('convert', [path, ...palette, `PNG8:${path}`]);
}
