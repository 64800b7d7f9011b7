import type * as electron from 'electron';
import type { App, NativeImage, PowerSaveBlocker } from 'electron';
import type { HostDependencies, PictureFormat } from '../server/kiosk/host.ts';
import type { PageExtras } from '../server/kiosk/pageExtras.ts';
import type { CpuTimes } from '../server/kiosk/recovery/heartbeat.ts';
import type { RecoveryLimits } from '../server/kiosk/recovery/recovery.ts';
import type { Clock } from '../server/platform/clock.ts';
import { memoryOf } from '../server/platform/processes.ts';

/** What the host uses of Electron; passed in, so that a test double can replace it where there is no binary. */
export type ElectronApi = Pick<
  typeof electron,
  'app' | 'BaseWindow' | 'WebContentsView' | 'ipcMain' | 'Menu' | 'powerSaveBlocker' | 'screen' | 'session'
>;

/** What the Electron host needs. */
export interface ElectronHostOptions
  extends Pick<
    HostDependencies,
    | 'recoverySettings'
    | 'policy'
    | 'certificates'
    | 'spec'
    | 'log'
    | 'onActivity'
    | 'onKeepAwake'
    | 'onSettingsCall'
    | 'onField'
    | 'onDialog'
    | 'onPageState'
    | 'onPageTrouble'
  > {
  readonly pageExtras?: PageExtras;
  readonly electron: ElectronApi;
  /** Path of the window's picture, where a desktop shows one. */
  readonly icon?: string;
  /** Path of the bundled preload script. */
  readonly preload: string;
  /** Path of the bundled preload script for built-in pages. */
  readonly builtInPreload: string;
  readonly clock?: Clock;
  readonly limits?: RecoveryLimits;
}

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

/** Keeps the system from switching the screen off while the panel is awake; a sleeping one may save power. */
export class ScreenPower {
  readonly #blocker: PowerSaveBlocker;
  #held: number | undefined;

  constructor(blocker: PowerSaveBlocker) {
    this.#blocker = blocker;
  }

  keepOn(): void {
    this.#held ??= this.#blocker.start('prevent-display-sleep');
  }

  letGo(): void {
    if (this.#held !== undefined) this.#blocker.stop(this.#held);
    this.#held = undefined;
  }
}

/** Text stays readable. */
const JPEG_QUALITY = 80;

/** A picture in a format; PNG without one. */
export function written(picture: NativeImage, format?: PictureFormat): Uint8Array {
  return format === 'jpeg' ? picture.toJPEG(JPEG_QUALITY) : picture.toPNG();
}
