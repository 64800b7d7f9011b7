import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { afterReset, finishPending } from '../../platform/files/dataFolder.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { ResetService } from './reset.ts';

async function resettable(t: { after(run: () => Promise<void>): void }) {
  const dataDir = await mkdtemp(join(tmpdir(), 'faceplate-reset-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const clock = new FakeClock();
  let restarts = 0;
  const service = new ResetService({
    dataDir,
    panelName: () => 'Lobby',
    restart: () => {
      restarts++;
    },
    log: silentLogger(),
    clock,
  });
  return { dataDir, clock, service, restarts: () => restarts };
}

const asked = { identity: { id: 'owner', name: 'owner' }, origin: '192.168.1.9' };

test('security: should reset only with the name of the panel', async (t) => {
  const { dataDir, clock, service, restarts } = await resettable(t);
  for (const confirm of ['', 'lobby', 'Lobby '])
    await assert.rejects(service.reset({ confirm }, asked), { code: 'INVALID_REQUEST', field: 'confirm' });
  await clock.advance(1_000);
  assert.equal(restarts(), 0);
  assert.deepEqual(await readdir(dataDir), []);
});

test('should answer first, restart once, and leave the note for the journal', async (t) => {
  const { dataDir, clock, service, restarts } = await resettable(t);
  assert.deepEqual(await service.reset({ confirm: 'Lobby' }, asked), { status: 'resetting' });
  await service.reset({ confirm: 'Lobby' }, asked);
  assert.equal(restarts(), 0);
  await clock.advance(1_000);
  assert.equal(restarts(), 1);
  finishPending(dataDir);
  const left = await afterReset(dataDir);
  const { time, ...note } = (left?.note ?? {}) as Record<string, unknown>;
  assert.ok(!Number.isNaN(Date.parse(String(time))));
  assert.deepEqual(note, {
    command: 'panel.reset',
    surface: 'http',
    caller: { id: 'owner', name: 'owner', address: '192.168.1.9' },
    params: { confirm: 'Lobby' },
    code: 'OK',
    ms: 0,
  });
});
