import { Counter, Gauge, Registry } from 'prom-client';
import { pageState } from '../../kiosk/contract.ts';
import type { HealthState } from '../health/contract.ts';

/** The values of one metric, each with its labels. */
type Values = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** A registry of one reading. */
export function newRegistry(): Registry {
  return new Registry();
}

/** Adds a metric that goes up and down; one without values is left out. */
export function addGauge(registry: Registry, name: string, help: string, values: Values): void {
  if (values.length === 0) return;
  const gauge = new Gauge({ name, help, labelNames: namesOf(values), registers: [registry] });
  for (const [labels, value] of values) gauge.set(labels, value);
}

/** As `addGauge`, for a metric that only goes up; its name ends in `_total`. */
export function addCounter(registry: Registry, name: string, help: string, values: Values): void {
  if (values.length === 0) return;
  const counter = new Counter({ name, help, labelNames: namesOf(values), registers: [registry] });
  for (const [labels, value] of values) counter.inc(labels, value);
}

/** How the panel is, in base units as Prometheus wants them: seconds, bytes, ratios. */
export function addHealth(registry: Registry, health: HealthState): void {
  const { uptime, serviceUptime, load, temperature, memory, disk, network, page } = health;
  const gauge = (name: string, help: string, values: Values) =>
    addGauge(registry, `faceplate_${name}`, help, values);
  gauge('uptime_seconds', 'Since the machine started.', [[{}, uptime]]);
  gauge('service_uptime_seconds', 'Since the service started.', [[{}, serviceUptime]]);
  gauge(
    'load',
    'Load average of the machine.',
    load.map((value, i) => [{ minutes: ['1', '5', '15'][i]! }, value]),
  );
  if (temperature !== null) gauge('temperature_celsius', 'Of the hottest sensor.', [[{}, temperature]]);
  gauge('memory_bytes', 'Memory: total and free of the machine, used by service and browser.', kinds(memory));
  gauge(
    'disk_bytes',
    'Where the data folder lies: total and free.',
    kinds({ total: disk.total, free: disk.free }),
  );
  gauge(
    'network_up',
    'Whether an interface is up.',
    network.map(({ name, up }) => [{ interface: name }, Number(up)]),
  );
  gauge(
    'wifi_signal_ratio',
    'Signal of Wi-Fi, 0 to 1.',
    network.flatMap(({ name, wifi }) =>
      typeof wifi?.signal === 'number' ? [[{ interface: name }, wifi.signal / 100] as const] : [],
    ),
  );
  if (page === null) return;
  gauge(
    'page_state',
    'What the kiosk page does: 1 for its state, 0 for the others.',
    pageState.shape.state.options.map((state) => [{ state }, Number(state === page.state)]),
  );
  gauge('page_errors', 'Errors of the page since its load.', [[{}, page.errors]]);
}

function kinds(values: Readonly<Record<string, number>>): Values {
  return Object.entries(values).map(([kind, value]) => [{ kind }, value]);
}

function namesOf(values: Values): string[] {
  return Object.keys(values[0]?.[0] ?? {});
}
