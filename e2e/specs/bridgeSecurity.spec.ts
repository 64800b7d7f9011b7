import type { Page } from '@playwright/test';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import type { TestSite } from '../peers/testSite.ts';

declare global {
  interface Window {
    readonly appcontainer: Window['container'];
    /** What the first script of the dashboard page found. */
    atFirst: { container: string; isFrozen: boolean; sameUnderAlias: boolean; answer: unknown };
  }
}

/** A remote dashboard whose very first script already uses the panel. */
const dashboard = `<!doctype html><html><head><script>
  window.atFirst = {
    container: typeof window.container,
    isFrozen: Object.isFrozen(window.container),
    sameUnderAlias: window.appcontainer === window.container,
  };
  container.gpioBridge.postMessage('{"action":"write","pin":2,"level":1}').then((answer) => {
    window.atFirst.answer = answer;
  });
</script><title>dashboard</title></head><body></body></html>`;

/** Reports to its parent every path to the panel that it finds. */
const prober = `<script>
  const bridgeNames = Object.getOwnPropertyNames(window).filter((name) => /^_[0-9a-f]{24}$/.test(name));
  const found = ['container', 'appcontainer', 'MobileBridge'].filter((name) => name in window);
  parent.postMessage({ frame: name, found: [...found, ...bridgeNames] }, '*');
</script>`;

/** A page with every kind of frame; the origin of the foreign one is filled in by the test. */
function pageWithFrames(foreign: string): string {
  const srcdoc = prober.replaceAll('"', '&quot;');
  return `<!doctype html><title>frames</title>
    <script>
      addEventListener('message', ({ data }) => {
        new Image().src = '/report?' + encodeURIComponent(JSON.stringify(data));
      });
    </script>
    <iframe name="same-origin" src="/frame"></iframe>
    <iframe name="same-site" src="${foreign.replace('hostile.localhost', 'other.p1.localhost')}/frame"></iframe>
    <iframe name="cross-site" src="${foreign}/frame"></iframe>
    <iframe name="sandboxed" sandbox="allow-scripts" src="/frame"></iframe>
    <iframe name="srcdoc" srcdoc="${srcdoc}"></iframe>
    <iframe name="nested" src="${foreign}/nested"></iframe>`;
}

/** The reports of the frames, which the page passed on to the site. */
function reportsTo(site: TestSite): { frame: string; found: string[] }[] {
  const marker = '/report?';
  return site.requests
    .filter((request) => request.includes(marker))
    .map((request) => JSON.parse(decodeURIComponent(request.split(marker)[1]!)))
    .toSorted((a, b) => a.frame.localeCompare(b.frame));
}

/** The panel of the tests below: an alias is a setting of the start. */
const WITH_ALIAS = { kiosk: true, args: ['--bridge.aliases', 'appcontainer'] };

/** Shows a page of the house; these origins may use the bridge. */
async function showPage(service: FaceplateProcess, url: string, origins: readonly string[]): Promise<void> {
  const api = await apiOf(service);
  const { status } = await api(
    '/api/manage/settings',
    { kiosk: { url }, bridge: { origins } },
    { method: 'PATCH' },
  );
  expect(status).toBe(200);
}

test('should be there before the first script of a dashboard in bridge.origins, also under an alias', async ({
  sharedFaceplate,
  openPage,
  startSite,
}) => {
  const site = await startSite({ '/': dashboard });
  const service = await sharedFaceplate(WITH_ALIAS);
  await showPage(service, `${site.origin()}/`, [site.origin()]);
  const page = await openPage(service);
  await expect(page).toHaveTitle('dashboard');
  const atFirst = { container: 'object', isFrozen: true, sameUnderAlias: true };
  const answer = { status: 'ok', pin: 2, level: 1, ok: true };
  await expect.poll(() => page.evaluate(() => window.atFirst)).toEqual({ ...atFirst, answer });
  const api = await apiOf(service);
  expect((await api('/api/remote/gpio/read', { pin: 2 })).body).toMatchObject({ level: 1 });
});

test('security: should give window.container to no frame, whatever its origin', async ({
  sharedFaceplate,
  openPage,
  startSite,
}) => {
  const pages: Record<string, string> = { '/frame': `<!doctype html>${prober}` };
  const site = await startSite(pages);
  const foreign = site.origin('hostile.localhost');
  pages['/'] = pageWithFrames(foreign);
  // A frame of an allowed origin inside a foreign one: its parent passes on its report.
  pages['/nested'] = `<!doctype html><script>
    addEventListener('message', ({ data }) => parent.postMessage({ ...data, frame: 'nested' }, '*'));
  </script><iframe src="${site.origin()}/frame"></iframe>`;
  const service = await sharedFaceplate(WITH_ALIAS);
  await showPage(service, `${site.origin()}/`, [site.origin(), foreign]);
  // Without a second debugger: a test browser that attaches while frames open leaves nested frames paused for ever.
  const frames = ['cross-site', 'nested', 'same-origin', 'same-site', 'sandboxed', 'srcdoc'];
  await expect.poll(() => reportsTo(site)).toEqual(frames.map((frame) => ({ frame, found: [] })));
  const page = await openPage(service);
  expect(await page.evaluate(() => typeof window.container)).toBe('object');
});

test('security: should give nothing to a foreign top page', async ({
  sharedFaceplate,
  openPage,
  startSite,
}) => {
  const site = await startSite({ '/': `<!doctype html><title>foreign</title>` });
  const service = await sharedFaceplate(WITH_ALIAS);
  await showPage(service, `${site.origin()}/`, [site.origin('friend.localhost')]);
  const page = await openPage(service);
  await expect(page).toHaveTitle('foreign');
  expect(await waysToThePanel(page)).toEqual([]);
});

test('security: should not follow a page to a foreign origin nor open it in a window', async ({
  page: first,
  panel,
  openPage,
  startSite,
}) => {
  const site = await startSite({ '/away': '<!doctype html><title>away</title>' });
  const home = first.url();
  const away = `${site.origin()}/away`;
  await first.evaluate((url) => location.assign(url), away);
  await first.evaluate((url) => window.open(url), away);
  await first.evaluate((url) => {
    const link = document.createElement('a');
    link.href = url;
    link.target = '_blank';
    document.body.append(link);
    link.click();
  }, away);
  // Who watched Electron refuse the way there waits for it for ever.
  const page = await openPage(panel);
  expect(await page.evaluate(`container.call('gpio.read', { pin: 3 })`)).toMatchObject({ pin: 3 });
  expect(page.url()).toBe(home);
  // Beside the layers of the panel itself there is no other.
  const others = page
    .context()
    .pages()
    .filter((other) => !/^http:\/\/(keys\.)?glass\.localhost/.test(other.url()));
  expect(others).toEqual([page]);
  expect(site.requests).toEqual([]);
});

/** Globals through which a page could reach the panel. */
function waysToThePanel(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Object.getOwnPropertyNames(window).filter(
      (name) => ['container', 'appcontainer', 'MobileBridge'].includes(name) || /^_[0-9a-f]{24}$/.test(name),
    ),
  );
}
