import type { App } from 'electron';
import { memoryOf } from '../server/host/processMemory.ts';

/** @returns bytes that Electron's helpers hold; not its main process, which is the service. */
export function helperMemory(app: App): Promise<number> {
  const helpers = app.getAppMetrics().filter(({ type }) => type !== 'Browser');
  return memoryOf(helpers.map(({ pid }) => pid));
}

/** Ends the process that draws, in which a stuck graphics driver shows: Chromium starts another one. */
export function endDrawing(app: App): void {
  for (const { type, pid } of app.getAppMetrics()) if (type === 'GPU') process.kill(pid);
}
