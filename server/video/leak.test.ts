import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '../testing/waiting.ts';
import { newViewer, noSignal, startCamera, startPanel } from './testing/testPanel.ts';

const CYCLES = 100;

test('should leave nothing of a hundred sessions that were opened and closed', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { service } = await startPanel(t);
  const { camera, video } = await startCamera(t);
  video.start();
  const { sdp } = await newViewer(t);
  const cycle = async (): Promise<void> => {
    await service.open({ id: 'a', url: camera.url(), sdp }, noSignal);
    await service.close({ id: 'a' });
  };
  const resources = (): number => process.getActiveResourcesInfo().length;
  const used = (): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 1024 / 1024;
  };
  for (let i = 0; i < 20; i++) await cycle();
  await until(() => camera.connections.open === 0);
  camera.requests.length = 0;
  const before = { resources: resources(), used: used() };
  for (let i = 0; i < CYCLES; i++) await cycle();
  await until(() => camera.connections.open === 0, 'the end of the last connection');
  camera.requests.length = 0;
  await until(() => resources() <= before.resources, 'as few sockets and timers as before');
  // The scripted camera remembers its sockets; a leaked session would keep 100 kB and more.
  const grown = used() - before.used;
  assert.ok(grown < 8, `${grown.toFixed(1)} MB more after ${CYCLES} sessions`);
});
