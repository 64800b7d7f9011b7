import type { DiskSpace } from '../../platform/archive/diskSpace.ts';
import type { ClosedPorts, LoginOf } from '../../platform/checkedRequest.ts';
import type { WallClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { DownloadOptions } from '../download.ts';
import type { ProvenPanel, UpdateDriver } from './driver.ts';

/** What the versions of the panel stand on. */
export interface UpdateOptions {
  readonly driver: UpdateDriver;
  /** The version that runs. */
  readonly installed: string;
  readonly dataDir: string;
  readonly space: DiskSpace;
  readonly settings: () => {
    readonly channel: string;
    /** For the server of the channel, and no other; without a user there is none. */
    readonly login: { readonly username?: string; readonly password?: string };
    readonly window: string;
  };
  readonly closedPorts: () => ClosedPorts;
  /** Certificate authorities that https is judged by, as PEM. */
  readonly authorities: () => readonly string[];
  /** Reads the list of versions, up to 1 MiB. */
  readChannel(address: string, loginOf: LoginOf, signal: AbortSignal): Promise<Uint8Array>;
  readonly panel: ProvenPanel;
  /** Whether somebody talks, or it rings. */
  isInCall(): Promise<boolean>;
  readonly events: Pick<EventBus, 'emit'>;
  /** Notes what the panel did by itself in the journal. */
  note(command: string, params: object): void;
  /** Says a sentence about a version that was taken back on the screen. */
  tell(version: string, seconds: number): void;
  readonly clock: WallClock;
  readonly random?: () => number;
  readonly lookup?: DownloadOptions['lookup'];
  readonly log: Logger;
}
