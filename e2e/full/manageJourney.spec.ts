import { zipFile } from '../../server/testing/zipFile.ts';
import { closeSettings } from '../kioskService.ts';
import { expect, test } from '../manageBrowser.ts';
import { openView } from '../manageViews.ts';
import { readQr } from '../readQr.ts';
import { answer, openNewSettings } from '../settingsPage.ts';

/** A project with one button over the whole page, and a mistake behind it. */
const PROJECT = `<!doctype html>
<title>Lobby</title>
<style>button { position: fixed; inset: 0; font-size: 4rem }</style>
<button>press</button>
<script>
  document.querySelector('button').onclick = ({ target }) => {
    target.textContent = 'pressed';
    missing.thing();
  };
</script>`;

test('should bring a person from the QR code on the glass to a pressed button', async ({
  startFaceplate,
  openDemo,
  openManage,
}) => {
  test.slow();
  const service = await startFaceplate({ kiosk: true });
  const kiosk = await openDemo(service);
  const glass = await openNewSettings(kiosk);

  const { page, complaints } = await test.step('scan', async () => {
    await openView(glass, 'people');
    await glass.getByTestId('make-code').click();
    const code = (await glass.getByTestId('code').textContent()) ?? '';
    const scanned = await readQr(glass);
    expect(scanned).toMatch(new RegExp(`^http://[^/]+/manage/#pair=${code}$`));
    // The address in the code is that of the network; the tests stay on this machine.
    return openManage(service, { width: 390, height: 844, at: new URL(scanned).hash });
  });

  await test.step('paired', async () => {
    await expect(page.getByTestId('facts')).toContainText('Version');
    expect(page.url()).not.toContain('pair');
    await closeSettings(glass);
  });
  await test.step('upload', async () => {
    await openView(page, 'content/projects');
    const buffer = zipFile([{ name: 'index.html', content: PROJECT }]);
    await page.getByTestId('file').setInputFiles({ name: 'Lobby.zip', mimeType: 'application/zip', buffer });
    await expect(page.getByTestId('project-name')).toHaveValue('Lobby');
    await page.getByTestId('install').click();
    await expect(page.getByTestId('notice')).toHaveText('"Lobby" is installed.');
    await page.getByTestId('project-lobby').getByRole('button', { name: 'Show', exact: true }).click();
    await expect(page.getByTestId('project-lobby')).toContainText('Live');
    await expect(kiosk.locator('button')).toHaveText('press');
  });

  await test.step('live', async () => {
    await openView(page, 'screen/remote');
    await expect(page.getByTestId('live')).toHaveAttribute('data-state', 'live');
    await page.getByTestId('live').click();
    await expect(kiosk.locator('button')).toHaveText('pressed');
  });

  await test.step('console', async () => {
    await openView(page, 'system/console');
    const line = page.locator('.line.exception').first();
    await expect(line).toContainText('missing is not defined');
    await expect(line).toContainText(/lobby\.localhost:\d+\/.*:8:\d+/);
    await page.getByTestId('filter').fill('no such thing');
    await expect(page.getByTestId('lines')).toHaveText('Nothing yet.');
  });

  await test.step('overview', async () => {
    await openView(page, 'home');
    await expect(page.getByText('missing is not defined')).toBeVisible();
  });

  await test.step('backup', async () => {
    await openView(page, 'system/backup');
    const downloading = page.waitForEvent('download');
    await page.getByTestId('backup-save').click();
    const saved = await (await downloading).path();
    await openView(page, 'content/projects');
    const project = page.getByTestId('project-lobby');
    await page.getByTestId('project-menu-lobby').click();
    await project.getByRole('menuitem', { name: 'Remove' }).click();
    await answer(page, 'yes');
    await expect(project).toHaveCount(0);
    await openView(page, 'system/backup');
    await page.getByTestId('restore-file').setInputFiles(saved);
    await page.getByTestId('restore').click();
    await answer(page, 'yes');
    await expect(page.getByTestId('restored')).toContainText('projects');
    await expect(kiosk.locator('button')).toHaveText('press');
  });
  expect(complaints).toEqual([]);
});
