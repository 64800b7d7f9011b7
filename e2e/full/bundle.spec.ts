import { execFile } from 'node:child_process';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from '../fixtures.ts';

const root = join(import.meta.dirname, '../..');

test('should serve the API, the demo and the settings page from the bundle that npm run build makes', async ({
  startFaceplate,
}) => {
  await promisify(execFile)(process.execPath, [join(root, 'build/bundle/bundle.ts')]);
  const service = await startFaceplate({ main: join(root, 'dist/server/main.js') });
  const { port } = new URL(await service.url);
  const info = await fetch(`http://127.0.0.1:${port}/api/remote/info`, {
    headers: { authorization: `Bearer ${await service.token()}` },
  });
  expect(await info.json()).toMatchObject({ board: 'simulated', host: 'none' });
  expect(await read(Number(port), 'demo')).toContain('data-testid="led-card"');
  const page = await read(Number(port), 'settings');
  const [, code = ''] = /src="(app-\w+\.js)"/.exec(page) ?? [];
  expect(await read(Number(port), 'settings', `/${code}`)).toContain('settingsPage.status');
  expect(await (await fetch(`http://127.0.0.1:${port}/manage/`)).text()).toBe(page);
});

/** With the Host header: not every system resolves names below localhost, as browsers do. */
function read(port: number, id: string, path = '/'): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { host: `${id}.localhost:${port}` } };
    get(options, (response) => text(response).then(resolve, reject)).on('error', reject);
  });
}
