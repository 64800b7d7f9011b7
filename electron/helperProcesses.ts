import type { App } from 'electron';
import type { CpuTimes } from '../server/kiosk/recovery/heartbeat.ts';
import { memoryOf } from '../server/kiosk/recovery/processMemory.ts';

/** @returns bytes that Electron's helpers use; without its main process, which is the service. */
export function helperMemory(app: App): Promise<number> {
  const helpers = app.getAppMetrics().filter(({ type }) => type !== 'Browser');
  return memoryOf(helpers.map(({ pid }) => pid));
}

/** Ends the GPU process, where a stuck graphics driver shows: Chromium starts another one. */
export function endDrawing(app: App): void {
  for (const { type, pid } of app.getAppMetrics()) if (type === 'GPU') process.kill(pid);
}

/** @returns CPU time that a renderer has used so far; undefined when Electron does not report it */
export function rendererCpu(app: App, pid: number): CpuTimes | undefined {
  const seconds = app.getAppMetrics().find((process) => process.pid === pid)?.cpu.cumulativeCPUUsage;
  return seconds === undefined ? undefined : new Map([[pid, seconds * 1_000]]);
}
