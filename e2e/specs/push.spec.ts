import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliProcess } from '../../client/testing/cliProcess.ts';
import { expect, test } from '../fixtures.ts';

test('should show a saved file on the panel, and say beside the editor what its page says', async ({
  panel: service,
  openPage,
  dataDir,
}) => {
  const folder = join(dataDir, 'Lobby');
  await mkdir(folder);
  const save = (text: string) =>
    writeFile(
      join(folder, 'index.html'),
      `<h1>${text}</h1><script>console.log('page says', '${text}')</script>`,
    );
  await save('one');
  const env = {
    FACEPLATE_PANEL: await service.url,
    FACEPLATE_TOKEN: await service.token(),
    XDG_CONFIG_HOME: dataDir,
  };
  const cli = new CliProcess(['push', folder, '--watch'], { env });
  try {
    await expect(async () => expect(cli.stdout).toMatch(/^lobby shown: 1 file/)).toPass();
    const page = await openPage(service);
    await expect(page.locator('h1')).toHaveText('one');
    for (const text of ['two', 'three']) {
      await save(text);
      await expect(page.locator('h1')).toHaveText(text, { timeout: 15_000 });
      await expect(async () => expect(cli.stderr).toContain(`page says ${text}`)).toPass();
    }
    // What the panel shows as a picture, too.
    const picture = join(dataDir, 'now.png');
    const shot = await new CliProcess(['screenshot', picture, '--json'], { env }).ended();
    expect(shot.code).toBe(0);
    expect(JSON.parse(shot.stdout).bytes).toBeGreaterThan(1_000);
  } finally {
    cli.interrupt();
  }
  expect((await cli.ended()).code).toBe(0);
});
