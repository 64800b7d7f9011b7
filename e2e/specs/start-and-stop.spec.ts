import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { FaceplateProcess, isAlive, type ProcessInfo } from '../../server/testing/faceplateProcess.ts';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';

test('should answer healthz without a token once the ready line is printed', async ({ panel: service }) => {
  const response = await fetch(`${await service.url}/healthz`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: 'ok', version: expect.any(String) });
});

test('should make a token on the first start and require it, run the API alone, and stop soon after SIGINT', async ({
  startFaceplate,
}) => {
  const service = await startFaceplate();
  const info = `${await service.url}/api/remote/info`;
  const refused = await fetch(info);
  expect(refused.status).toBe(401);
  const api = await apiOf(service);
  expect(await api('/api/remote/info')).toMatchObject({
    status: 200,
    body: { host: 'none', board: 'simulated', recoveries: {} },
  });
  expect((await api('/api/remote/gpio/write', { pin: 2, level: 1 })).status).toBe(200);
  expect(service.descendants).toEqual([]);
  await expectSoonEnded(service, 'SIGINT');
});

test('security: should not hand the token to the browser, and stop with it soon after SIGTERM, exit 0 and leave no child', async ({
  startFaceplate,
}) => {
  const token = 'a-token-of-the-environment';
  const service = await startFaceplate({ kiosk: true, env: { FACEPLATE_TOKEN: token } });
  const environments = service.descendants.filter(isAlive).map(environmentOf);
  expect(environments.filter((text) => text !== '').length).toBeGreaterThan(3);
  for (const text of environments) expect(text).not.toContain(token);
  const info = await fetch(`${await service.url}/api/remote/info`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(info.status).toBe(200);
  await expectSoonEnded(service, 'SIGTERM');
});

test('should end once and cleanly when the signal comes twice, as Ctrl+C in npm start does', async ({
  startFaceplate,
}) => {
  const service = await startFaceplate({ kiosk: true });
  process.kill(service.pid!, 'SIGINT');
  await expectSoonEnded(service, 'SIGINT');
});

/** The environment of a process as it was started (proc_pid_environ(5)); nothing for one that has just ended. */
function environmentOf({ pid }: ProcessInfo): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** Goal: five seconds. A busy machine may take three times as long. */
async function expectSoonEnded(service: FaceplateProcess, signal: NodeJS.Signals): Promise<void> {
  const { code, left, ms } = await service.stop(signal);
  expect({ code, left }).toEqual({ code: 0, left: [] });
  expect(ms).toBeLessThan(15_000);
}

test('should say in one sentence that the port is in use, and exit 1', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const service = new FaceplateProcess({ args: ['--http.port', String(port)] });
  try {
    await service.launch();
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    const said = service.output.split('\n').filter((line) => !line.startsWith('{'));
    expect(said).toEqual([expect.stringContaining(`Port ${port} is in use`)]);
  } finally {
    await service.stop();
    other.close();
  }
});

test('should report all mistakes of the settings at once, exit 1 and start nothing', async ({ dataDir }) => {
  await writeFile(join(dataDir, 'settings.json'), JSON.stringify({ http: { prot: 1 }, 'log.level': 'loud' }));
  const service = new FaceplateProcess({
    dataDir,
    args: ['--http.port', 'eighty', '--no.such', '1', '--token', 'a-secret-as-a-flag'],
    env: { FACEPLATE_KIOSK_USER: 'Root!', FACEPLATE_NO_SUCH_SETTING: '1' },
  });
  try {
    await service.launch();
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    const places = ['http.port', 'no.such', 'token', 'FACEPLATE_KIOSK_USER', 'FACEPLATE_NO_SUCH_SETTING'];
    for (const place of [...places, 'http.prot', 'log.level']) expect(service.output).toContain(place);
    expect(service.output).not.toContain('a-secret-as-a-flag');
    // No stack, token, log or ready line.
    expect(service.output).not.toMatch(/^\s+at |^\{|ready/m);
    expect(await readdir(dataDir)).toEqual(['settings.json']);
  } finally {
    await service.stop();
  }
});

test('should report all mistakes of a board profile at once and exit 1', async ({ dataDir }) => {
  const board = join(dataDir, 'board.json');
  await writeFile(board, JSON.stringify({ name: 'Bad Name', gpio: { driver: 'magic' }, relays: 3 }));
  const service = new FaceplateProcess({ args: ['--board', board] });
  try {
    await service.launch();
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    for (const place of [board, 'name', 'gpio', 'relays']) expect(service.output).toContain(place);
    expect(service.output).not.toMatch(/^\s+at |ready/m);
  } finally {
    await service.stop();
  }
});

test('should answer pending calls with SHUTTING_DOWN and end their processes when it stops', async ({
  startFaceplate,
}) => {
  const service = await startFaceplate();
  const api = await apiOf(service);
  const running = api('/api/remote/terminal/exec', { command: 'sleep 120 & sleep 120' });
  const reading = api('/api/remote/serial/read', { port: '/dev/ttyS5', baudRate: 9600, timeout: 60_000 });
  const headers = { authorization: `Bearer ${await service.token()}` };
  const events = await fetch(`${await service.url}/api/remote/events`, { headers });
  await expect
    .poll(() => service.descendants.filter(({ command }) => command === 'sleep 120').length)
    .toBe(2);
  await expectSoonEnded(service, 'SIGTERM');
  expect(await running).toEqual(failure(503, 'SHUTTING_DOWN'));
  expect(await reading).toEqual(failure(503, 'SHUTTING_DOWN'));
  // Ended, not cut off: otherwise this would throw.
  expect(await events.text()).toMatch(/^event: snapshot\n/);
});
