import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import type { HealthState } from '../health/contract.ts';
import { MetricsService } from '../metrics/service.ts';

/** How the panel of these tests is. */
export const HEALTH: HealthState = {
  uptime: 100,
  serviceUptime: 90,
  load: [0.5, 0.4, 0.3],
  temperature: 48.5,
  memory: { total: 4e9, free: 3e9, service: 1e8, browser: 5e8 },
  disk: { total: 8e9, free: 7e9, problem: null },
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

/** Its metrics, the events that they count, and the text that Prometheus reads. */
export function testMetrics(health: HealthState = HEALTH) {
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
