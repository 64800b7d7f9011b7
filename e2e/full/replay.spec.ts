import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';

interface Entry {
  readonly command: string;
  readonly surface: string;
  readonly code: string;
  readonly params: unknown;
  readonly caller: object;
}

/** The journal of a service as a file, as its API gives it. */
async function exported(service: FaceplateProcess, folder: string): Promise<string> {
  const answer = await fetch(`${await service.url}/api/manage/journal?format=ndjson&limit=1000`, {
    headers: { authorization: `Bearer ${await service.token()}` },
  });
  const path = join(folder, 'exported.ndjson');
  await writeFile(path, await answer.text());
  return path;
}

async function journalOf(service: FaceplateProcess): Promise<Entry[]> {
  const api = await apiOf(service);
  return (await api('/api/manage/journal?limit=1000')).body.entries as Entry[];
}

test('should play on a desk what a panel did, and say what differs', async ({ startFaceplate, dataDir }) => {
  // A panel whose relays lock each other out.
  const board = join(dataDir, 'board.json');
  const simulated = { driver: 'simulated' };
  const profile = {
    name: 'simulated',
    gpio: { ...simulated, interlock: [[2, 3]] },
    led: simulated,
    serial: [{ port: '/dev/ttyS5', ...simulated }],
  };
  await writeFile(board, JSON.stringify(profile));
  const panel = await startFaceplate({ args: ['--board', board, '--terminal.enabled'] });
  const api = await apiOf(panel);
  await api('/api/remote/led/color', { red: 1, green: 2, blue: 3 });
  await api('/api/remote/simulate', { part: 'gpio', pin: 0, level: 1 });
  await api('/api/remote/gpio/write', { pin: 2, level: 1 });
  await api('/api/remote/gpio/write', { pin: 3, level: 1 });
  await api('/api/remote/serial/write', { port: '/dev/ttyS5', hex: '50 57 52 30 0D' });
  await api('/api/remote/udp/send', { host: '127.0.0.1', port: 9, data: 'x' });
  await api('/api/manage/settings', { kiosk: { pin: '47114711' } }, { method: 'PATCH' });
  expect((await api('/api/remote/terminal/exec', { command: 'id' })).status).toBe(200);
  const path = await exported(panel, dataDir);
  const before = (await journalOf(panel)).toReversed();
  expect(before).toHaveLength(8);

  const desk = await startFaceplate({ args: ['--replay', path, '--speed', '10'] });
  await desk.line(/^replay: the end: 5 played \(1 with another result\), 3 shown, 0 skipped$/m);
  expect(desk.output).toMatch(
    /gpio\.write \{"pin":3,"level":1\} DIFFERENT: OK here, LOCKED_OUT on the panel/,
  );
  expect(desk.output).toMatch(/owner: terminal\.exec \{"command":"id"\} shown/);
  const deskApi = await apiOf(desk);
  expect((await deskApi('/api/remote/led/state')).body).toMatchObject({
    state: { red: 1, green: 2, blue: 3 },
  });
  const { pins } = (await deskApi('/api/remote/gpio')).body as { pins: { level: number }[] };
  expect(pins.map(({ level }) => level)).toEqual([1, 0, 1, 1]);

  // It went through the doorway of all calls, and the desk's own journal can be replayed as well.
  const played = (await journalOf(desk)).toReversed();
  const kept = before.filter(({ command }) => !/^(?:terminal|udp|settings)/.test(command));
  expect(played.map(({ command, params }) => [command, params])).toEqual(
    kept.map(({ command, params }) => [command, params]),
  );
  for (const { surface, caller } of played)
    expect([surface, caller]).toEqual(['panel', { id: 'replay', name: 'replay', address: null }]);
  const again = join(desk.dataDir, 'journal', '00000001.ndjson');
  const second = await startFaceplate({ args: ['--replay', again, '--speed', '1000'] });
  await second.line(/^replay: the end: 5 played \(0 with another result\), 0 shown, 0 skipped$/m);
});

test('should show on the glass what was shown on the panel', async ({
  startFaceplate,
  startSite,
  dataDir,
}) => {
  const site = await startSite({ '/': '<title>Weather</title><h1>Sun</h1>' });
  const url = `${site.origin('dash.localhost')}/`;
  const path = join(dataDir, 'glass.ndjson');
  const entry = (second: number, command: string, params: object) =>
    JSON.stringify({ time: `2026-05-04T12:30:0${second}.000000Z`, command, params, code: 'OK', ms: 1 });
  const lines = [
    entry(0, 'message.show', { text: 'Dinner is ready', id: 'dinner', seconds: 0 }),
    entry(1, 'page.show', { url, seconds: 600 }),
  ];
  await writeFile(path, lines.join('\n'));
  const desk = await startFaceplate({ kiosk: true, args: ['--replay', path, '--speed', '2'] });
  await desk.line(/^replay: the end: 2 played \(0 with another result\)/m);
  const api = await apiOf(desk);
  await expect
    .poll(async () => (await api('/api/remote/page')).body)
    .toMatchObject({ url, state: 'shown', title: 'Weather' });
  // The message is still there: it can be taken back.
  expect((await api('/api/remote/message/dinner', undefined, { method: 'DELETE' })).status).toBe(200);
});

test('should go on after damage, and end with the service in the middle of a pause', async ({
  startFaceplate,
  dataDir,
}) => {
  const path = join(dataDir, 'damaged.ndjson');
  const entry = (time: string, params: object) =>
    JSON.stringify({ time, command: 'led.color', caller: { name: 'page' }, params, code: 'OK', ms: 1 });
  const lines = [
    entry('2026-05-04T12:30:00.000000Z', { red: 1, green: 1, blue: 1 }),
    'Binary \u0000\u001b[2J',
    'x'.repeat(1_000_000),
    entry('2026-05-04T12:29:00.000000Z', { red: 2, green: 2, blue: '…' }),
    entry('2026-05-04T12:30:00.000000Z', { red: 3, green: 3, blue: 3 }),
    entry('2026-05-04T12:30:25.000000Z', { red: 4, green: 4, blue: 4 }).slice(0, -20),
    entry('2026-05-04T12:30:29.000000Z', { red: 5, green: 5, blue: 5 }),
  ];
  await writeFile(path, lines.join('\n'));
  const desk = await startFaceplate({ args: ['--replay', path] });
  await desk.line(/replay: line 6 is no entry/);
  const api = await apiOf(desk);
  expect((await api('/api/remote/led/state')).body).toMatchObject({ state: { red: 3 } });
  for (const line of [
    /line 2 is no entry/,
    /line 3 is too long/,
    /line 4: its time is before/,
    /a pause of 1 min is shortened/,
    /skipped: its params are hidden/,
  ])
    expect(desk.output).toMatch(line);
  expect(desk.output).not.toContain('\u001b');
  const { code, ms } = await desk.stop('SIGINT');
  expect(code).toBe(0);
  expect(ms).toBeLessThan(5_000);
  expect(desk.output).toMatch(/replay: ended early: 2 played .* 1 skipped; 3 lines damaged/);
});

test('security: should refuse to start a replay where a part is real, or where there is nothing to play', async ({
  dataDir,
}) => {
  const path = join(dataDir, 'one.ndjson');
  await writeFile(
    path,
    '{"time":"2026-05-04T12:30:00Z","command":"gpio.write","params":{"pin":2,"level":1},"code":"OK"}',
  );
  const refused = async (args: readonly string[], words: RegExp) => {
    const service = new FaceplateProcess({ args });
    await service.launch();
    expect((await service.ended()).code).toBe(1);
    await service.stop();
    expect(service.output).toMatch(words);
    expect(service.output).not.toMatch(/replay:/);
  };
  await refused(
    ['--replay', path, '--board', 'generic-linux'],
    /^faceplate: A journal is replayed on a simulated board only\. .* real: rtc, power, .*$/m,
  );
  await refused(['--replay', join(dataDir, 'none')], /^faceplate: There is no file /m);
  await refused(['--replay', dataDir], /^faceplate: .* is a folder\./m);
  await refused(['--speed', '3'], /flag --speed: belongs to --replay/);
});
