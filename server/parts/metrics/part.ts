import type { StreamService } from '../../video/service.ts';
import { healthCommands } from '../health/contract.ts';
import type { HealthService } from '../health/service.ts';
import { type Core, definePart } from '../part.ts';
import { MetricsService } from './service.ts';

interface Needs {
  readonly health: HealthService;
  readonly stream: StreamService;
}

/** What was counted, for Prometheus. */
export const metrics = definePart(
  'metrics',
  ({ version, board, health, kiosk, stream, events }: Core & Needs) =>
    new MetricsService({
      version,
      board: board.name,
      health: () => health.state(),
      recoveries: () => kiosk.recoveries(),
      streams: () => stream.sessions().sessions.length,
      events,
    }),
).answering({ 'metrics.read': healthCommands['metrics.read'] });
