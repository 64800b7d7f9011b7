import { withTimeout } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { CpuTimes } from '../../recovery/heartbeat.ts';
import { mainThreadCpu } from '../../recovery/processUse.ts';
import type { CdpSend } from './cdpProtocol.ts';

/** How long the browser may take to list its processes, in milliseconds. */
const ANSWER_MS = 1_000;

/**
 * CPU time of the browser's renderers by process id. The protocol does not say which of them runs a page.
 * @returns undefined when the browser does not report it
 */
export async function rendererCpu(send: CdpSend, clock: Clock): Promise<CpuTimes | undefined> {
  const asked = send('SystemInfo.getProcessInfo', {}).catch(() => undefined);
  const processes = (await withTimeout(clock, ANSWER_MS, asked))?.processInfo;
  if (processes === undefined) return undefined;
  const renderers = processes.filter(({ type }) => type === 'renderer');
  return new Map(
    await Promise.all(
      renderers.map(async ({ id, cpuTime }) => [id, (await mainThreadCpu(id)) ?? cpuTime * 1_000] as const),
    ),
  );
}
