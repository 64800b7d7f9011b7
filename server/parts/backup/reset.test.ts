import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { afterReset, finishPending } from '../../platform/files/dataFolder.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { ResetService } from './reset.ts';

function resettable() {
  const dataDir = temporaryFolder('reset');
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

test('security: should reset only with the name of the panel', async () => {
  const { dataDir, clock, service, restarts } = resettable();
  for (const confirm of ['', 'lobby', 'Lobby '])
    await assert.rejects(service.reset({ confirm }, asked), { code: 'INVALID_REQUEST', field: 'confirm' });
  await clock.advance(1_000);
  assert.equal(restarts(), 0);
  assert.deepEqual(await readdir(dataDir), []);
});

test('should answer first, restart once, and leave the note for the journal', async () => {
  const { dataDir, clock, service, restarts } = resettable();
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
