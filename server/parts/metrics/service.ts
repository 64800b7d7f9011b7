import type { Registry } from 'prom-client';
import type { ResultOf } from '../../contract/commands.ts';
import type { EventName, EventPayload } from '../../contract/events.ts';
import { recoveryCauses } from '../../contract/system.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { HealthState } from '../health/contract.ts';

/** Loaded with the first reading: few panels are ever asked. */
type SeriesTools = typeof import('./series.ts');

interface MetricsOptions {
  readonly version: string;
  readonly board: string;
  readonly health: () => Promise<HealthState>;
  /** How often the page was brought back, by cause. */
  readonly recoveries: () => Readonly<Record<string, number>>;
  /** Open camera sessions. */
  readonly streams: () => number;
  readonly events: EventBus;
}

/** What was counted since the start, and how the panel is, as text for Prometheus. */
export class MetricsService {
  readonly #options: MetricsOptions;
  /** Calls by command, then by code; plain maps, since each call of the panel comes here. */
  readonly #calls = new Map<string, Map<string, number>>();
  /** What happened to calls of the intercom. */
  readonly #intercom = { rang: 0, connected: 0, failed: 0 };
  /** Ids of the calls of the intercom in which people speak. */
  readonly #inCall = new Set<string>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#unsubscribe ??= this.#options.events.onAny((name, payload) => this.#heard(name, payload));
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** A call has ended. @param code `OK`, or the code of the error */
  counted(command: string, code: string): void {
    const byCode = this.#calls.get(command);
    if (byCode === undefined) this.#calls.set(command, new Map([[code, 1]]));
    else byCode.set(code, (byCode.get(code) ?? 0) + 1);
  }

  /** The text of all metrics (Prometheus text format 0.0.4). */
  async read(): Promise<ResultOf<'metrics.read'>> {
    const series = await import('./series.ts');
    const registry = series.newRegistry();
    this.#addCounted(registry, series);
    series.addHealth(registry, await this.#options.health());
    return { type: registry.contentType, body: await registry.metrics() };
  }

  #addCounted(registry: Registry, { addCounter, addGauge }: SeriesTools): void {
    const { version, board, streams } = this.#options;
    const recoveries = this.#options.recoveries();
    addGauge(registry, 'faceplate_info', 'What this panel is; always 1.', [[{ version, board }, 1]]);
    const calls: [{ command: string }, number][] = [];
    const errors: [{ command: string; code: string }, number][] = [];
    for (const [command, byCode] of this.#calls) {
      calls.push([{ command }, [...byCode.values()].reduce((sum, count) => sum + count, 0)]);
      for (const [code, count] of byCode) if (code !== 'OK') errors.push([{ command, code }, count]);
    }
    addCounter(registry, 'faceplate_calls_total', 'Calls since the start, by command.', calls);
    addCounter(
      registry,
      'faceplate_call_errors_total',
      'Those that were refused or failed, by code.',
      errors,
    );
    addCounter(
      registry,
      'faceplate_recoveries_total',
      'How often the page was brought back, by cause.',
      // A cause that is missing until it first happens hides its first time from `increase()`.
      recoveryCauses.map((cause) => [{ cause }, recoveries[cause] ?? 0]),
    );
    addGauge(registry, 'faceplate_streams', 'Open camera sessions.', [[{}, streams()]]);
    addCounter(
      registry,
      'faceplate_intercom_calls_total',
      'Calls of the intercom, by what happened to them.',
      Object.entries(this.#intercom).map(([event, count]) => [{ event }, count]),
    );
    addGauge(registry, 'faceplate_intercom_active_calls', 'Calls of the intercom that are connected.', [
      [{}, this.#inCall.size],
    ]);
  }

  #heard<N extends EventName>(name: N, payload: EventPayload<N>): void {
    if (name !== 'sip') return;
    const told = payload as EventPayload<'sip'>;
    if (told.event === 'incomingCall') this.#intercom.rang++;
    if (told.event === 'callFailed') this.#intercom.failed++;
    if (told.event === 'callEnded') this.#inCall.delete(told.payload.callId);
    if (told.event === 'callConnected') {
      this.#intercom.connected++;
      this.#inCall.add(told.payload.callId);
    }
  }
}
