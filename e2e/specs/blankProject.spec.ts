import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { zipFile } from '../../server/testing/zipFile.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';

const FOLDER = join(import.meta.dirname, '../../docs/examples/blank');

/** Installs the project of the guide and shows it. */
async function showBlankProject(service: FaceplateProcess): Promise<void> {
  const names = ['index.html', 'main.js', 'style.css'];
  const entries = names.map(async (name) => ({ name, content: await readFile(join(FOLDER, name)) }));
  const body = new Uint8Array(zipFile(await Promise.all(entries)));
  const headers = { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/zip' };
  const api = await apiOf(service);
  const projects = '/api/manage/projects';
  expect(await api(`${projects}?name=blank`, undefined, { method: 'POST', body, headers })).toMatchObject({
    status: 200,
  });
  expect((await api(`${projects}/blank/activate`, {})).status).toBe(200);
}

test('should switch the relay with the blank project of the guide, and follow it', async ({
  panel: service,
  page,
  api,
}) => {
  await showBlankProject(service);
  const button = page.getByRole('button', { name: 'Relay 1' });
  await expect(button).toHaveAttribute('aria-pressed', 'false');

  await button.click();
  await expect(button).toHaveAttribute('aria-pressed', 'true');
  expect((await api('/api/remote/gpio/read', { pin: 2 })).body).toMatchObject({ level: 1 });

  await api('/api/remote/gpio/write', { pin: 2, level: 0 });
  await expect(button).toHaveAttribute('aria-pressed', 'false');
  expect(await page.getByRole('status').textContent()).toBe('');
});

test('should say in a frame that the blank project is not open on a panel', async ({
  panel: service,
  page,
}) => {
  await showBlankProject(service);
  await expect(page.getByRole('button', { name: 'Relay 1' })).toBeEnabled();
  // As in an ordinary browser there is no panel.
  await page.evaluate(() => document.body.append(document.createElement('iframe')));
  await page.locator('iframe').evaluate((frame) => frame.setAttribute('src', '/index.html'));
  const frame = page.frameLocator('iframe');
  await expect(frame.getByRole('status')).toHaveText('This page is not open on a panel.');
  await expect(frame.getByRole('button')).toBeDisabled();
});
