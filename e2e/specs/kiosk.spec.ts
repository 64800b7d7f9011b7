import { readFileSync } from 'node:fs';
import { isAlive, type ProcessInfo } from '../../server/testing/faceplateProcess.ts';
import { apiOf } from '../api.ts';
import { demoIsReady, expect, test } from '../fixtures.ts';
import { browserOf, killBrowser, renderersOf } from '../kioskService.ts';

/** A field of /proc/<pid>/status (proc_pid_status(5)). */
function statusField(pid: number, field: string): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
}

/** The environment of a process as it was started (proc_pid_environ(5)); nothing for one that has just ended. */
function environmentOf({ pid }: ProcessInfo): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

test('should bring the page back after a kill -9 of the browser, with a bridge that works', async ({
  panel: service,
  api,
  page: _,
  openDemo,
}) => {
  const info = async () => (await api('/api/remote/info')).body;
  const recovered = async () => ((await info()).recoveries as Record<string, number>)['browser-exit'] ?? 0;
  expect(await info()).toMatchObject({ host: 'chromium' });
  const before = await recovered();
  const sessions = async () => (await api('/api/stream/sessions')).body.sessions as { id: string }[];
  await expect.poll(sessions).toMatchObject([{ state: 'playing' }]);
  const { id } = (await sessions())[0]!;

  const old = service.descendants;
  const devtools = () => service.output.match(/^faceplate devtools /gm)!.length;
  const browsers = devtools();
  killBrowser(service);
  await expect.poll(devtools).toBe(browsers + 1);
  const page = await openDemo(service);
  await page.getByTestId('pin-2-switch').check();
  await expect(page.getByTestId('pin-2-level')).toHaveText('CLOSED');
  expect(await recovered()).toBe(before + 1);
  expect(old.filter(isAlive)).toEqual([]);
  // The killed viewer could not close its session, which is gone too, and the new page plays.
  await expect
    .poll(sessions, { timeout: 15_000 })
    .toEqual([expect.objectContaining({ state: 'playing', viewers: 1 })]);
  expect((await sessions())[0]!.id).not.toBe(id);
});

test('should bring the page back after a kill -9 of its renderer', async ({
  panel: service,
  api,
  page: _,
  openPage,
}) => {
  const crashes = async () =>
    ((await api('/api/remote/info')).body.recoveries as Record<string, number>)['renderer-crash'] ?? 0;
  const before = await crashes();
  for (const { pid } of renderersOf(service)) process.kill(pid, 'SIGKILL');
  await expect.poll(crashes).toBeGreaterThan(before);
  // A crashed page stays crashed for the client that was attached.
  const again = await openPage(service);
  await expect(again.getByTestId('board')).toHaveText('Simulated board');
  await demoIsReady(again);
});

test('security: should run the browser with its sandbox, and never as root', async ({ panel, page }) => {
  await expect(page.getByTestId('board')).toHaveText('Simulated board');
  expect(panel.descendants.filter(({ command }) => command.includes('--no-sandbox'))).toEqual([]);
  expect(statusField(browserOf(panel), 'Uid').split('\t')).not.toContain('0');
  const renderers = renderersOf(panel);
  expect(renderers).not.toHaveLength(0);
  for (const { pid } of renderers) {
    expect(statusField(pid, 'Uid').split('\t')).not.toContain('0');
    // 2: filtered system calls (seccomp(2)).
    expect(statusField(pid, 'Seccomp')).toBe('2');
  }
});

test('security: should not hand the token to the browser', async ({ startFaceplate }) => {
  const token = 'a-token-of-the-environment';
  const service = await startFaceplate({ kiosk: true, env: { FACEPLATE_TOKEN: token } });
  const environments = service.descendants.filter(isAlive).map(environmentOf);
  expect(environments.filter((text) => text !== '').length).toBeGreaterThan(3);
  for (const text of environments) expect(text).not.toContain(token);
  const info = await fetch(`${await service.url}/api/remote/info`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(info.status).toBe(200);
});

test('should run the API alone with host none', async ({ startFaceplate }) => {
  const service = await startFaceplate({ args: ['--host', 'none'], kiosk: false });
  const api = await apiOf(service);
  expect((await api('/api/remote/info')).body).toMatchObject({ host: 'none', recoveries: {} });
  expect((await api('/api/remote/gpio/write', { pin: 2, level: 1 })).status).toBe(200);
  expect(service.descendants).toEqual([]);
});
