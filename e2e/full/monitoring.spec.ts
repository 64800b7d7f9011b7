import { spawnSync } from 'node:child_process';
import { expect, test } from '../fixtures.ts';

test('should give Prometheus what it reads, with a token only', async ({ panel, api }) => {
  await api('/api/remote/led/on', { on: 'maybe' });
  const url = `${await panel.url}/metrics`;
  const headers = { authorization: `Bearer ${await panel.token()}` };
  const response = await fetch(url, { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  expect(text).toMatch(/^faceplate_call_errors_total\{command="led.on",code="INVALID_REQUEST"\} \d+$/m);
  const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], { input: text });
  expect(`${stdout}${stderr}`).toBe('');
  expect(status).toBe(0);
  const refused = await fetch(url);
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ code: 'UNAUTHORIZED' });
});
