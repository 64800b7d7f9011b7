import { readFileSync } from 'node:fs';
import { isAlive } from '../../server/testing/faceplateProcess.ts';
import { expect, test } from '../fixtures.ts';
import { browserOf, killBrowser, renderersOf } from '../kioskService.ts';

/** A field of /proc/<pid>/status (proc_pid_status(5)). */
function statusField(pid: number, field: string): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
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
  await killBrowser(service);
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
