import type { IpcMain, WebContents } from 'electron';
import type { BridgeSink } from '../server/kiosk/host.ts';
import type { OpenDialogs } from '../server/kiosk/openDialogs.ts';
import type { Refusals } from '../server/kiosk/refusals.ts';
import type { Clock } from '../server/platform/clock.ts';
import { BridgePort } from './bridgePort.ts';
import type { ElectronHostOptions } from './hostOptions.ts';
import { KeepAwakePort } from './keepAwakePort.ts';
import { SettingsCallPort } from './settingsCallPort.ts';
import { WindowGuardPort } from './windowGuardPort.ts';

interface PagePortsOptions {
  readonly host: ElectronHostOptions;
  readonly ipcMain: IpcMain;
  /** The kiosk page, while there is one. */
  readonly page: () => WebContents | undefined;
  readonly dialogs: OpenDialogs;
  readonly refusals: Refusals;
  /** A script of the page's own origin did not load. */
  readonly onMissingScript: (url: string) => void;
  readonly clock: Clock;
}

/** All that the main process hears from the kiosk page's preload script. */
export class PagePorts {
  readonly #bridge: BridgePort;
  readonly #call: SettingsCallPort;
  readonly #awake: KeepAwakePort;
  readonly #guard: WindowGuardPort;

  constructor({ host, ...port }: PagePortsOptions) {
    this.#bridge = new BridgePort({ ...host, ...port });
    this.#call = new SettingsCallPort({ ...port, onCall: () => host.onSettingsCall?.() });
    this.#awake = new KeepAwakePort({ ...port, onKeepAwake: () => host.onKeepAwake?.() });
    this.#guard = new WindowGuardPort(port);
  }

  open(sink: BridgeSink): void {
    this.#bridge.open(sink);
    this.#call.open();
    this.#awake.open();
    this.#guard.open();
  }

  close(): void {
    this.#bridge.close();
    this.#call.close();
    this.#awake.close();
    this.#guard.close();
  }

  /** Listens to the keys of a new page. */
  watch(page: WebContents): void {
    this.#call.watch(page);
  }

  /** The document is gone. */
  documentGone(): void {
    this.#bridge.dropPage();
    this.#call.forget();
  }
}
