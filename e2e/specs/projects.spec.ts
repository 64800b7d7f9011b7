import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { ch5zFile, zipFile } from '../../server/testing/zipFile.ts';
import { expect, test } from '../fixtures.ts';
import { kioskPage } from '../kioskService.ts';

/** A service worker that always answers from its cache. */
const WORKER = `
addEventListener('install', (event) => event.waitUntil(caches.open('old').then((cache) => cache.add('/'))));
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) =>
  event.respondWith(caches.match(event.request).then((hit) => hit ?? fetch(event.request))));
`;

/** An archive made on Windows, whose page says `text`. */
function project(text: string): Buffer {
  return zipFile([
    { name: 'index.html', content: `<!doctype html><h1>${text}</h1><script src="scripts/run.js"></script>` },
    { name: 'Scripts/Run.js', content: 'document.body.dataset.script = "ran"' },
    { name: 'worker.js', content: WORKER },
  ]);
}

/** Calls the manage API of a service. */
async function manage(service: FaceplateProcess, method: string, path: string, archive?: Buffer) {
  const response = await fetch(`${await service.url}/api/manage/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await service.token()}`,
      ...(archive && { 'content-type': 'application/zip' }),
    },
    ...(archive && { body: new Uint8Array(archive) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function expectShown(page: Page, host: string, text: string) {
  await expect.poll(() => new URL(page.url()).hostname).toBe(host);
  await expect(page.locator('h1')).toHaveText(text);
}

const hasContainer = (page: Page) =>
  page.evaluate(() => typeof (window as { container?: unknown }).container);

/** Status of a change that a page of this origin requests. */
async function changeFrom(service: FaceplateProcess, origin: string): Promise<number> {
  const response = await fetch(`${await service.url}/api/remote/led/on`, {
    method: 'POST',
    headers: {
      origin,
      authorization: `Bearer ${await service.token()}`,
      'content-type': 'application/json',
    },
    body: '{"on":true}',
  });
  return response.status;
}

test('should install a project, show it, replace it, roll it back, switch and remove', async ({
  panel: service,
}) => {
  const { port } = new URL(await service.url);
  const { page, detach } = await kioskPage(service);
  expect((await manage(service, 'GET', 'projects')).body).toEqual({ projects: [] });

  const installed = await manage(service, 'POST', 'projects?name=Lobby%20Panel', project('one'));
  expect(installed).toEqual({ status: 200, body: { id: 'lobby-panel', name: 'Lobby Panel', active: false } });
  expect(new URL(page.url()).hostname).toBe('demo.localhost');

  const activated = await manage(service, 'POST', 'projects/lobby-panel/activate');
  expect(activated.body).toEqual({ id: 'lobby-panel', active: true });
  await expectShown(page, 'lobby-panel.localhost', 'one');
  await expect(page.locator('body')).toHaveAttribute('data-script', 'ran');
  expect(await hasContainer(page)).toBe('object');
  expect(await changeFrom(service, `http://lobby-panel.localhost:${port}`)).toBe(200);
  expect(await changeFrom(service, `http://demo.localhost:${port}`)).toBe(403);

  // The page leaves traces: a worker that always answers from its cache, and stored data.
  await page.evaluate(async () => {
    localStorage.setItem('kept', 'yes');
    await navigator.serviceWorker.register('/worker.js');
    await navigator.serviceWorker.ready;
  });
  await manage(service, 'POST', 'projects?name=Lobby%20Panel', project('two'));
  await expectShown(page, 'lobby-panel.localhost', 'two');
  expect(await page.evaluate(() => localStorage.getItem('kept'))).toBe('yes');
  expect(await page.evaluate(async () => (await caches.keys()).length)).toBe(0);
  const { projects } = (await manage(service, 'GET', 'projects')).body as { projects: { version: string }[] };

  const back = await manage(service, 'POST', 'projects/lobby-panel/rollback');
  expect(back.body).toEqual({ id: 'lobby-panel', version: expect.stringMatching(/^[0-9a-f]{12}$/) });
  expect(back.body.version).not.toBe(projects[0]?.version);
  await expectShown(page, 'lobby-panel.localhost', 'one');
  expect((await manage(service, 'POST', 'projects/lobby-panel/rollback')).body.code).toBe('CONFLICT');

  await manage(service, 'POST', 'projects?name=Other', ch5zFile(project('other')));
  await manage(service, 'POST', 'projects/other/activate');
  await expectShown(page, 'other.localhost', 'other');
  expect(await hasContainer(page)).toBe('object');
  // The previous project is still installed, but its pages are not shown and may not call.
  await page.evaluate((url) => location.assign(url), `http://lobby-panel.localhost:${port}/`).catch(() => {});
  expect(new URL(page.url()).hostname).toBe('other.localhost');
  expect(await changeFrom(service, `http://lobby-panel.localhost:${port}`)).toBe(403);

  // A picture can also be taken while the page is loading again.
  for (let i = 0; i < 2; i++) {
    expect((await manage(service, 'POST', 'reload')).body).toEqual({ status: 'reloading' });
    const picture = await fetch(`${await service.url}/api/manage/screenshot`, {
      headers: { authorization: `Bearer ${await service.token()}` },
    });
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(
      Buffer.from(await picture.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  }

  expect((await manage(service, 'DELETE', 'projects/other')).body).toEqual({ status: 'removed' });
  await expect.poll(() => new URL(page.url()).hostname).toBe('demo.localhost');
  expect((await manage(service, 'POST', 'projects/other/activate')).body.code).toBe('PROJECT_NOT_FOUND');
  await detach();
});

test('should load a place of a single-page app again, and come home from an address that there is not', async ({
  panel: service,
}) => {
  const { page, detach } = await kioskPage(service);
  const app = `<!doctype html><h1></h1><script src="/app.js"></script>`;
  const archive = zipFile([
    { name: 'index.html', content: app },
    { name: 'app.js', content: 'document.querySelector("h1").textContent = location.pathname' },
  ]);
  await manage(service, 'POST', 'projects?name=spa', archive);
  await manage(service, 'POST', 'projects/spa/activate');
  await expectShown(page, 'spa.localhost', '/');
  await page.evaluate(() => history.pushState(null, '', '/rooms/2'));
  await manage(service, 'POST', 'reload');
  await expect(page.locator('h1')).toHaveText('/rooms/2');
  const state = async () => {
    const response = await fetch(`${await service.url}/api/remote/page`, {
      headers: { authorization: `Bearer ${await service.token()}` },
    });
    return ((await response.json()) as { state: string }).state;
  };
  await expect.poll(state).toBe('shown');
  await page.evaluate(() => location.assign('/rooms/2.json')).catch(() => {});
  await expect.poll(state).toBe('failed');
  await expect(page.locator('body')).toContainText('There is no page at this address.');
  await expect(page.locator('h1')).toHaveText('/', { timeout: 20_000 });
  await expect.poll(state).toBe('shown');
  await manage(service, 'DELETE', 'projects/spa');
  await detach();
});

test('security: should give a frame with another project no container', async ({ panel: service }) => {
  const { port } = new URL(await service.url);
  const { page, detach } = await kioskPage(service);
  await manage(service, 'POST', 'projects?name=Other', project('other'));
  await page.evaluate((url) => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.src = url;
  }, `http://other.localhost:${port}/`);
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('h1')).toHaveText('other');
  expect(await frame.locator('h1').evaluate(() => 'container' in window)).toBe(false);
  expect(new URL(page.url()).hostname).toBe('demo.localhost');
  await detach();
});

test('should install and show the archive that kiosk.project names, and also start with a bad one', async ({
  startFaceplate,
}) => {
  const folder = temporaryFolder('archive');
  const good = join(folder, 'Lobby.zip');
  const bad = join(folder, 'bad.zip');
  await writeFile(good, project('from a file'));
  await writeFile(bad, 'no zip');
  const service = await startFaceplate({ args: ['--kiosk.project', good] });
  const { body } = await manage(service, 'GET', 'projects');
  expect(body).toEqual({
    projects: [expect.objectContaining({ id: 'lobby', name: 'Lobby', active: true })],
  });
  expect(await pageOf(Number(new URL(await service.url).port), 'lobby')).toContain('from a file');
  expect((await manage(service, 'POST', 'reload')).body.code).toBe('UNSUPPORTED_HARDWARE');
  const other = await startFaceplate({ args: ['--kiosk.project', bad] });
  expect((await manage(other, 'GET', 'projects')).body).toEqual({ projects: [] });
  await expect.poll(() => other.output).toContain('could not install kiosk.project');
});

/** With the Host header: not every system resolves names below localhost, as browsers do. */
function pageOf(port: number, id: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, headers: { host: `${id}.localhost:${port}` } };
    get(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}
