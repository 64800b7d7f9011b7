import { hostname } from 'node:os';
import { failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';

interface Entry {
  readonly time: string;
  readonly command: string;
  readonly surface: string;
  readonly code: string;
  readonly params: unknown;
  readonly caller: object;
}

test('should tell how the panel is', async ({ api }) => {
  const { status, body } = await api('/api/remote/health');
  expect(status).toBe(200);
  const { memory, disk, load } = body as {
    memory: Record<string, number>;
    disk: Record<string, number>;
    load: number[];
  };
  expect(load).toHaveLength(3);
  expect(memory.total).toBeGreaterThan(memory.free!);
  expect(memory.service).toBeGreaterThan(10e6);
  // The kiosk's browser is running.
  expect(memory.browser).toBeGreaterThan(50e6);
  expect(disk.total).toBeGreaterThan(disk.free!);
  expect(body.uptime).toBeGreaterThanOrEqual(body.serviceUptime as number);
  const history = await api('/api/remote/health/history');
  expect(history).toMatchObject({ status: 200, body: { everySeconds: 300 } });
  // None before the first half minute is over.
  for (const point of history.body.points as { memoryUsed: number; secondsAgo: number }[])
    expect(point.memoryUsed).toBeLessThan(memory.total!);
});

test('should note who changed what, and no secret', async ({ panel: service, api }) => {
  await api('/api/remote/led/color', { red: 1, green: 2, blue: 3 });
  await api('/api/remote/led/state');
  await api('/api/remote/led/color', { red: 300, green: 2, blue: 3, password: 'hunter2' });
  await api('/api/manage/settings', undefined, {
    method: 'PATCH',
    body: JSON.stringify({ kiosk: { pin: '47114711' }, device: { name: 'Hall' } }),
    headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
  });
  await api('/api/remote/led/on', {}, { method: 'POST', headers: { authorization: 'Bearer wrong' } });
  const { entries } = (await api('/api/manage/journal?limit=3')).body as unknown as { entries: Entry[] };
  expect(entries.map(({ command, code, params }) => [command, code, params])).toEqual([
    ['settings.change', 'OK', { 'kiosk.pin': '…', 'device.name': 'Hall' }],
    ['led.color', 'INVALID_REQUEST', { red: 300, green: 2, blue: 3, password: '…' }],
    ['led.color', 'OK', { red: 1, green: 2, blue: 3 }],
  ]);
  for (const { surface, caller } of entries)
    expect([surface, caller]).toEqual(['http', { id: 'owner', name: 'owner', address: '127.0.0.1' }]);
  const before = entries[1]!.time;
  const older = await api(`/api/manage/journal?limit=1&before=${encodeURIComponent(before)}`);
  expect(older.body).toEqual({ entries: [entries[2]] });
  expect(await api('/api/manage/journal?limit=1001')).toEqual(
    failure(400, 'INVALID_REQUEST', /limit/, 'limit'),
  );
  const lines = await fetch(`${await service.url}/api/manage/journal?format=ndjson&limit=3`, {
    headers: { authorization: `Bearer ${await service.token()}` },
  });
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(
    (await lines.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(entries);
});

test('should have a name that can be changed, and an id and an address that stay', async ({
  panel: service,
  api,
}) => {
  const { name, id, address } = (await api('/api/remote/info')).body;
  expect([name, address]).toEqual([hostname(), new URL(await service.url).host]);
  expect(id).toMatch(/^[0-9a-f]{12}$/);
  const change = await api('/api/manage/settings', undefined, {
    method: 'PATCH',
    body: JSON.stringify({ device: { name: 'Küche 1.2' } }),
    headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
  });
  expect(change.body).toMatchObject({ restartNeeded: [] });
  expect((await api('/api/remote/info')).body).toMatchObject({ name: 'Küche 1.2', id, address });
});
