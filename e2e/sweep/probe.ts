import { join } from 'node:path';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { until } from '../../server/testing/waiting.ts';

/** What the probe in the service prints (serviceProbe.mjs): memory in bytes, the rest since it was last asked. */
interface Probed {
  readonly worstDelayMs: number;
  /** Most that the loop computed in one turn: what it would be delayed on an idle machine, but for waits for files. */
  readonly worstHeldMs: number;
  /** Share of one core, 0 to 1. */
  readonly cpuShare: number;
  readonly peakRss: number;
  readonly rss: number;
  /** Heap and external memory. The resident set shrinks late, and by chance. */
  readonly used: number;
  /** How many timers, connections, files and processes keep the loop busy. */
  readonly resources: number;
}

/**
 * The environment of a service that can be probed. As on a panel, young objects get little room: else up to 128 MiB of it fill
 * in the course of hours, which looks like a leak.
 */
export const probedEnv = {
  NODE_OPTIONS: `--expose-gc --max-semi-space-size=4 --import=${join(import.meta.dirname, 'serviceProbe.mjs')}`,
};

/** Asks a service that runs in `probedEnv`. @throws Error when it does not answer */
export async function probe(service: FaceplateProcess): Promise<Probed> {
  const found = (): string[] => service.output.match(/^probe .*$/gm) ?? [];
  const before = found().length;
  process.kill(service.pid!, 'SIGUSR2');
  await until(() => found().length > before, 'the answer of the probe');
  return JSON.parse(found().at(-1)!.slice('probe '.length));
}
