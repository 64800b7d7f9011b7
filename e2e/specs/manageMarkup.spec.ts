import type { Page } from '@playwright/test';
import { expect, test } from '../manageBrowser.ts';

/** Does something wherever it is read as markup. */
const MARKUP = `<img src="x" onerror="window.harmed=1"><script>window.harmed=1</script>'"\`\${1}{text}`;

const ENTRY = { time: '2026-05-04T12:30:00.000Z', url: MARKUP, line: 1, column: 1, stack: MARKUP };
const DAY = '2026-05-04T12:30:00.000Z';

/** What strangers name or print, in every answer that the app shows. */
const ANSWERS: Readonly<Record<string, object>> = {
  '/api/remote/page': {
    url: MARKUP,
    title: MARKUP,
    state: 'failed',
    since: DAY,
    errors: 1,
    home: true,
    until: null,
  },
  '/api/remote/health': {
    ...{ uptime: 1, serviceUptime: 1, load: [1, 1, 1], temperature: null, network: [] },
    ...{ memory: { total: 1, free: 1, service: 1, browser: 1 }, disk: { total: 1, free: 1 } },
    undone: [{ setting: MARKUP, reason: MARKUP, at: DAY }],
    page: { url: MARKUP, title: MARKUP, state: 'shown', since: DAY, errors: 1, home: true, until: null },
  },
  '/api/manage/projects': {
    projects: [
      {
        id: 'lobby',
        name: MARKUP,
        version: '0123456789ab',
        installedAt: DAY,
        size: 1,
        active: false,
        previousAt: null,
      },
    ],
  },
  '/api/manage/tokens': {
    tokens: [
      {
        id: 'a',
        name: MARKUP,
        scopes: ['view'],
        createdAt: DAY,
        expiresAt: null,
        lastUsedAt: DAY,
        lastAddress: MARKUP,
      },
    ],
  },
  '/api/manage/certificates': {
    certificates: [
      {
        ...{ host: MARKUP, port: 1, state: 'refused', trusted: null },
        refused: {
          fingerprint: MARKUP,
          subject: MARKUP,
          issuer: MARKUP,
          validFrom: DAY,
          validTo: DAY,
          reason: MARKUP,
          lastSeen: DAY,
        },
      },
    ],
  },
  '/api/manage/journal': {
    entries: [
      {
        // The view shows what is new.
        time: new Date().toISOString(),
        command: MARKUP,
        surface: 'http',
        caller: { id: 'a', name: MARKUP, address: MARKUP },
        params: { a: MARKUP },
        code: MARKUP,
        ms: 1,
      },
    ],
  },
  '/api/manage/network': {
    hostname: MARKUP,
    connectivity: MARKUP,
    interfaces: [
      {
        name: MARKUP,
        type: 'wifi',
        state: 'connected',
        mac: MARKUP,
        method: 'auto',
        addresses: [MARKUP],
        gateway: MARKUP,
        dns: [MARKUP],
        wifi: { ssid: MARKUP, signal: 1 },
      },
    ],
  },
  '/api/manage/network/wifi': { networks: [{ ssid: MARKUP, signal: 1, security: 'wpa2', active: false }] },
  '/api/manage/time': { now: DAY, timeZone: MARKUP, ntp: true, synchronized: true },
};
const STREAMS: Readonly<Record<string, readonly [string, object]>> = {
  '/api/manage/console': ['console', { ...ENTRY, level: 'exception', text: MARKUP }],
  '/api/manage/log': ['log', { time: DAY, level: 'warn', msg: MARKUP, more: MARKUP }],
};

async function answerWithMarkup(page: Page): Promise<void> {
  await page.route('**/api/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    const stream = STREAMS[pathname];
    if (stream !== undefined)
      await route.fulfill({
        contentType: 'text/event-stream',
        body: `event: ${stream[0]}\ndata: ${JSON.stringify(stream[1])}\n\n`,
      });
    else if (ANSWERS[pathname] !== undefined) await route.fulfill({ json: ANSWERS[pathname] });
    else await route.continue();
  });
}

/** The views, and how often the markup is at least there as text. */
const VIEWS = {
  home: 4,
  pages: 2,
  projects: 1,
  console: 2,
  log: 2,
  access: 5,
  activity: 1,
  network: 6,
} as const;

test('security: should show as text whatever strangers name and print', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { token: await panel.token() });
  await answerWithMarkup(page);
  for (const [view, times] of Object.entries(VIEWS)) {
    await page.goto(`${await panel.url}/manage/#/${view}`);
    await page.reload();
    const count = () =>
      page.evaluate((text) => (document.body.textContent ?? '').split(text).length - 1, 'onerror=');
    await expect.poll(count, view).toBeGreaterThanOrEqual(times);
    expect(await page.locator('img[src="x"], main script').count(), view).toBe(0);
  }
  expect(await page.evaluate('window.harmed')).toBeUndefined();
});
