import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { zipFile } from '../../server/testing/zipFile.ts';
import { expect, test } from '../fixtures.ts';

test('should save a panel, make it as new, and bring it back', async () => {
  const dataDir = temporaryFolder('backup');
  await chmod(dataDir, 0o711);
  await writeFile(join(dataDir, 'id'), '0123456789ab\n');
  const args = ['--board', 'simulated'];
  let service = new FaceplateProcess({ args, dataDir });
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${await service.token()}`, ...init.headers };
    return fetch(`${await service.url}${path}`, { ...init, headers });
  };
  const post = async (path: string, body: unknown) =>
    call(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const send = (path: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    call(path, { method: 'POST', body, headers: { 'content-type': 'application/zip', ...headers } });
  try {
    await service.start();
    const token = await service.token();
    await post('/api/remote/led/color', { red: 1, green: 2, blue: 3 });
    await call('/api/manage/settings', {
      method: 'PATCH',
      body: JSON.stringify({ kiosk: { quietHour: 5 }, sip: { password: 'a-secret' } }),
      headers: { 'content-type': 'application/json' },
    });
    const project = zipFile([{ name: 'index.html', content: 'Lobby' }]);
    expect((await send('/api/manage/projects?name=Lobby', new Uint8Array(project))).status).toBe(200);
    const saved = await post('/api/manage/backup', { passphrase: 'open sesame' });
    expect(saved.headers.get('content-type')).toBe('application/zip');
    expect(saved.headers.get('content-disposition')).toMatch(
      /^attachment; filename="faceplate-backup-.*\.zip"$/,
    );
    const zip = new Uint8Array(await saved.arrayBuffer());

    expect((await post('/api/manage/reset', { confirm: 'wrong' })).status).toBe(400);
    expect(await (await post('/api/manage/reset', { confirm: hostname() })).json()).toEqual({
      status: 'resetting',
    });
    expect((await service.ended()).code).toBe(0);
    expect(service.output).toContain('start it again');
    expect((await readdir(dataDir)).sort()).toEqual(['id', 'reset.rest']);

    service = new FaceplateProcess({ args, dataDir });
    await service.start();
    expect(await service.token()).not.toBe(token);
    expect(await (await call('/api/manage/projects')).json()).toEqual({ projects: [] });
    expect(await readdir(dataDir)).not.toContain('reset.rest');

    expect((await send('/api/manage/restore', zip)).status).toBe(400);
    expect((await send('/api/manage/restore', zip, { 'x-passphrase': 'wrong' })).status).toBe(400);
    const restored = await send('/api/manage/restore', zip, { 'x-passphrase': 'open sesame' });
    expect(await restored.json()).toEqual({
      restored: ['kiosk.quietHour', 'sip.password', 'led', 'projects'],
      restartNeeded: ['led', 'sip.password'],
    });
    expect(await (await call('/api/manage/projects')).json()).toMatchObject({ projects: [{ id: 'lobby' }] });
    await service.stop();
    service = new FaceplateProcess({ args, dataDir });
    await service.start();
    const led = await (await call('/api/remote/led/state')).json();
    expect(led).toMatchObject({ state: { red: 1, green: 2, blue: 3 } });
    expect(await readFile(join(dataDir, 'settings.json'), 'utf8')).toContain('a-secret');
    expect(await readFile(join(dataDir, 'id'), 'utf8')).toBe('0123456789ab\n');
  } finally {
    await service.stop();
  }
});

test('security: should refuse a backup of more than 512 MiB by its size', async ({ panel }) => {
  const headers = {
    authorization: `Bearer ${await panel.token()}`,
    'content-type': 'application/zip',
    'content-length': 512 * 1024 ** 2 + 1,
  };
  const url = `${await panel.url}/api/manage/restore`;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, ({ statusCode }) => {
      sent.destroy();
      resolve(statusCode);
    });
    sent.on('error', reject).flushHeaders();
  });
  expect(status).toBe(413);
});
