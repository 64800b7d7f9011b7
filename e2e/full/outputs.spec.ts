import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { browserOf } from '../kioskService.ts';

test('should end pulses before all else at a stop, however long the browser takes', async ({
  startFaceplate,
}) => {
  const service = await startFaceplate({ kiosk: true });
  const api = await apiOf(service);
  expect((await api('/api/remote/gpio/pulse', { pin: 2, level: 1, ms: 3_600_000 })).status).toBe(200);
  const pulses = async () =>
    JSON.parse(await readFile(join(service.dataDir, 'outputs.json'), 'utf8')).value.pulses as unknown[];
  expect(await pulses()).toHaveLength(1);
  // A browser that hangs is killed when its time is over.
  process.kill(browserOf(service), 'SIGSTOP');
  const from = performance.now();
  const stopped = service.stop('SIGTERM');
  // The folder goes with the service.
  while ((await pulses().catch(() => [])).length > 0) await passed(20);
  const safeAfter = performance.now() - from;
  expect(safeAfter).toBeLessThan((await stopped).ms / 2);
});
