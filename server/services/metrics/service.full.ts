import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import type { HealthState } from '../../contract/health.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { MetricsService } from './service.ts';

const HEALTH: HealthState = {
  uptime: 100,
  serviceUptime: 90,
  load: [0.5, 0.4, 0.3],
  temperature: 48.5,
  memory: { total: 4e9, free: 3e9, service: 1e8, browser: 5e8 },
  disk: { total: 8e9, free: 7e9 },
  network: [
    { name: 'eth0', addresses: [], mac: null, up: false, wifi: null },
    { name: 'wlan"0\n\\', addresses: [], mac: null, up: true, wifi: { ssid: 'House', signal: 70 } },
  ],
  undone: [],
  page: {
    url: '',
    title: '',
    state: 'shown',
    since: '',
    errors: 2,
    home: true,
    until: null,
  },
};

function make(health: HealthState = HEALTH) {
  const events = new EventBus(silentLogger());
  const metrics = new MetricsService({
    version: '1.2.3',
    board: 'simulated',
    health: async () => health,
    recoveries: () => ({ 'hung-page': 2 }),
    streams: () => 3,
    events,
  });
  const read = async () => String(((await metrics.read()) as { body: unknown }).body);
  return { metrics, events, read };
}

describe('metrics', () => {
  test("should pass Prometheus' own check, with names that begin with faceplate_", async () => {
    const { metrics, read } = make();
    metrics.counted('led.on', 'INVALID_REQUEST');
    const text = await read();
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    assert.ok(names.length > 15 && names.every((name) => name.startsWith('faceplate_')), String(names));
    const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], { input: text });
    assert.equal(`${stdout}${stderr}`, '');
    assert.equal(status, 0);
  });
});
