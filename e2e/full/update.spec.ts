import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { selfSigned } from '../../server/testing/selfSigned.ts';
import { signDeb } from '../../server/testing/signedFiles.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { apiOf, failure } from '../api.ts';
import { followEvents } from '../heardEvents.ts';
import { expect, test } from '../manageBrowser.ts';
import { seriousFaults, tooWide } from '../manageViews.ts';

const architecture = process.arch === 'x64' ? 'amd64' : 'arm64';
const [ours, stranger] = [selfSigned('DNS:a'), selfSigned('DNS:b')];

let work: string;
test.beforeAll(() => {
  work = temporaryFolder('update');
  writeFileSync(join(work, 'keys.pem'), ours.cert);
});

/** A package of Faceplate, small and without content. @returns its path */
function bundle(
  name: string,
  { version = '99.0.0', arch = architecture, signer = ours as typeof ours | null },
) {
  const tree = mkdtempSync(join(work, 'tree-'));
  mkdirSync(join(tree, 'DEBIAN'));
  const control = `Package: faceplate\nVersion: ${version}\nArchitecture: ${arch}\nMaintainer: N <n@example.org>\nDescription: x\n`;
  writeFileSync(join(tree, 'DEBIAN/control'), control);
  const file = join(work, `${name}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, file], { stdio: 'ignore' });
  if (signer !== null) signDeb(file, signer);
  return file;
}

test('should judge a bundle in the order of its faults, and install none from its sources', async ({
  startFaceplate,
}) => {
  const service = await startFaceplate({ args: ['--update.keys', join(work, 'keys.pem')] });
  const api = await apiOf(service);
  const send = (body: Uint8Array<ArrayBuffer> | string, query = '', type = 'application/octet-stream') =>
    api(`/api/manage/update${query}`, undefined, {
      method: 'POST',
      body,
      headers: { 'content-type': type, authorization },
    });
  const authorization = `Bearer ${await service.token()}`;
  const bytes = (file: string) => new Uint8Array(readFileSync(file));
  const now = () => api('/api/manage/update');
  const idle = { slot: null, available: null, state: 'idle', progress: null, last: null };
  const { installed } = (await now()).body;
  expect((await now()).body).toEqual({ ...idle, installed });
  const events = await followEvents(service, 'update', ({ state }) => String(state));

  const invalid = (words: RegExp) => failure(400, 'INVALID_REQUEST', words);
  expect(await send('x', '', 'text/plain')).toEqual(failure(415, 'UNSUPPORTED_MEDIA_TYPE'));
  expect(await send('')).toEqual(invalid(/body must be/));
  expect(await send('no bundle at all')).toEqual(invalid(/is not signed/));
  expect(await send(bytes(bundle('unsigned', { signer: null })))).toEqual(invalid(/is not signed/));
  const changed = bytes(bundle('changed', { version: '0.0.1' }));
  changed[200]! ^= 1;
  expect(await send(changed)).toEqual(invalid(/is not signed/));
  const foreign = bundle('foreign', { signer: stranger, arch: 'all', version: '0.0.1' });
  expect(await send(bytes(foreign))).toEqual(invalid(/signed by a key that this panel does not know/));
  const other = bytes(bundle('other', { arch: 'riscv64', version: '0.0.1' }));
  expect(await send(other)).toEqual(
    invalid(new RegExp(`is for debian-riscv64, this panel is debian-${architecture}`)),
  );
  const older = bytes(bundle('older', { version: '0.0.1' }));
  expect(await send(older)).toEqual(invalid(new RegExp(`is older than ${installed}`)));
  expect(await send(older, '?older=true')).toEqual(failure(501, 'UNSUPPORTED_HARDWARE', /from its sources/));
  expect(await send(older, '?older=perhaps')).toMatchObject({ status: 400, body: { field: 'older' } });
  expect(await send(bytes(bundle('newer', {})))).toEqual(failure(501, 'UNSUPPORTED_HARDWARE'));

  expect(await api('/api/manage/update/fetch', {})).toEqual(failure(409, 'CONFLICT'));
  expect((await api('/api/manage/update/fetch', { url: 'http://x.lan/' })).status).toBe(400);
  expect(await api('/api/manage/update/return', {})).toEqual(failure(409, 'CONFLICT'));
  expect((await now()).body).toEqual({ ...idle, installed });
  await expect.poll(() => events.heard.at(-1)).toBe('idle');
  expect(events.heard).toContain('fetching');
  await events.end();
});

test('security: should refuse more than 2 GiB before the body, and keys that a caller names', async ({
  panel,
}) => {
  const url = new URL(await panel.url);
  const token = await panel.token();
  const status = await new Promise((resolve, reject) => {
    const sending = request({
      host: url.hostname,
      port: url.port,
      method: 'POST',
      path: '/api/manage/update',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/octet-stream',
        'content-length': 2 ** 31 + 1,
      },
    });
    sending.on('response', (response) => {
      resolve(response.statusCode);
      sending.destroy();
    });
    sending.on('error', reject);
    sending.flushHeaders();
  });
  expect(status).toBe(413);
  const change = (settings: object) =>
    fetch(new URL('/api/manage/settings', url), {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(settings),
    });
  expect((await change({ update: { keys: '/tmp/keys.pem' } })).status).toBe(400);
  expect((await change({ update: { window: '02:00-02:00' } })).status).toBe(400);
  expect((await change({ update: { window: '2-4' } })).status).toBe(400);
});

test('should show the version on the System view, and say why a file is refused', async ({
  panel,
  openManage,
}) => {
  for (const [width, scheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    const look = { token: await panel.token(), at: '#/system', width, scheme };
    const { page, complaints } = await openManage(panel, look);
    const { installed } = (await (await apiOf(panel))('/api/manage/update')).body;
    const card = page.locator('section', { has: page.getByTestId('update-state') });
    await expect(card).toContainText(String(installed));
    await expect(card).toContainText('none newer');
    await expect(page.getByTestId('update-state')).toHaveAttribute('data-state', 'idle');
    await page.getByTestId('update-file').setInputFiles(bundle('unsigned', { signer: null }));
    await expect(page.getByTestId('update-mistake')).toContainText('is not signed');
    await expect(page.getByTestId('update-choose')).toBeEnabled();
    await page.getByTestId('update-return').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Back to the version before' }).click();
    await expect(page.getByText('There is no version before this one')).toBeVisible();
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toBe(0);
    expect(complaints.filter((text) => !/40[09]/.test(text))).toEqual([]);
  }
});
