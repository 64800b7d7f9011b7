import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zipFile } from '../../server/testing/zipFile.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';

const FOLDER = join(import.meta.dirname, '../../docs/examples/blank');

/** The archive of the project of the guide. */
async function blankProject(folder: string): Promise<string> {
  const names = ['index.html', 'main.js', 'style.css'];
  const entries = names.map(async (name) => ({ name, content: await readFile(join(FOLDER, name)) }));
  const archive = join(folder, 'blank.zip');
  await writeFile(archive, zipFile(await Promise.all(entries)));
  return archive;
}

test('should switch the relay with the blank project of the guide, and follow it', async ({
  startFaceplate,
  openPage,
  dataDir,
}) => {
  const project = await blankProject(dataDir);
  const service = await startFaceplate({ kiosk: true, args: ['--kiosk.project', project] });
  const api = await apiOf(service);
  const page = await openPage(service);
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
  startFaceplate,
  openPage,
  dataDir,
}) => {
  const project = await blankProject(dataDir);
  const page = await openPage(await startFaceplate({ kiosk: true, args: ['--kiosk.project', project] }));
  // As in an ordinary browser there is no panel.
  await page.evaluate(() => document.body.append(document.createElement('iframe')));
  await page.locator('iframe').evaluate((frame) => frame.setAttribute('src', '/index.html'));
  const frame = page.frameLocator('iframe');
  await expect(frame.getByRole('status')).toHaveText('This page is not open on a panel.');
  await expect(frame.getByRole('button')).toBeDisabled();
});
