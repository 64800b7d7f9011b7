import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';

test('should tell and change the settings over HTTP, with the token only', async ({ startFaceplate }) => {
  const service = await startFaceplate();
  const url = `${await service.url}/api/manage/settings`;
  const headers = {
    authorization: `Bearer ${await service.token()}`,
    'content-type': 'application/json',
  };
  const patch = async (tree: string) => {
    const response = await fetch(url, { method: 'PATCH', headers, body: tree });
    return { status: response.status, body: await response.json() };
  };

  expect((await fetch(url)).status).toBe(401);
  const read = (await (await fetch(url, { headers })).json()) as { settings: Record<string, unknown> };
  expect(read.settings['http.port']).toMatchObject({ value: 0, default: 8080, source: 'environment' });
  expect(read.settings.token).toMatchObject({ set: false });

  expect(await patch('{"bridge":{"aliases":["panel"]},"log":{"level":"warn"}}')).toMatchObject({
    status: 200,
    body: { restartNeeded: ['bridge.aliases', 'log.level'] },
  });
  const path = join(service.dataDir, 'settings.json');
  const written = await readFile(path, 'utf8');
  expect(JSON.parse(written)).toEqual({ bridge: { aliases: ['panel'] }, log: { level: 'warn' } });

  const wrong = await patch('{"bridge":{"aliases":[1]},"log":{"level":"loud"},"__proto__":{"x":1}}');
  expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', field: expect.any(String) } });
  expect(await patch('{"http":{"port":9000}}')).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', field: 'http.port' },
  });
  expect(await patch('[]')).toMatchObject({ status: 400 });
  expect(await readFile(path, 'utf8')).toBe(written);
});
