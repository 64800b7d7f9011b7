import type { PageState } from '../../kiosk/contract.ts';
import type { DiskSpace } from '../../platform/archive/diskSpace.ts';
import type { WallClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { ClosedPorts, LoginOf } from '../../platform/net/checkedRequest.ts';
import type { DownloadOptions } from '../download.ts';

/** What a file says of itself. Of one that no known key signed, nothing is read. */
export type Bundle =
  | { readonly signature: 'none' | 'unknown' }
  | { readonly signature: 'known'; readonly version: string; readonly board: string };

/** Versions of Faceplate on this machine: the one that runs, and another one beside it. */
export interface UpdateDriver {
  /** The slot that runs; null where there are no slots. */
  readonly slot: 'A' | 'B' | null;
  /** How the name of a bundle ends: the tools of the system want to see what it is. */
  readonly ending: 'deb' | 'raucb';
  /** The bundles that fit: `debian-arm64`. */
  readonly board: string;
  /**
   * `machine`: the next boot has the version that was installed. `service`: only `restart` brings it, and a start of the
   * service with a version that waits has to ask for it.
   */
  readonly restarts: 'machine' | 'service';
  /** The oldest version that this panel takes from any caller. `0.0.0`: any. */
  oldest(): Promise<string>;
  /** Looks at a file in a folder of ours. @throws FaceplateError UPDATE_FAILED when it cannot be judged */
  inspect(path: string): Promise<Bundle>;
  /**
   * Puts a bundle that was inspected beside what runs. Without slots the file stays until the restart.
   * @param onProgress gets 0 to 100
   * @throws FaceplateError UPDATE_FAILED, UNSUPPORTED_HARDWARE; what runs is as it was
   */
  install(path: string, onProgress: (percent: number) => void): Promise<void>;
  /** Forgets what was installed and waits. */
  discard(): Promise<void>;
  /** Begins what was installed; the service ends meanwhile. @throws FaceplateError when it cannot */
  restart(path: string): Promise<void>;
  /** The version that `return` leads to; null where there is none that is whole and may still be taken. */
  before(): Promise<string | null>;
  /** Begins the version before; the service ends meanwhile. @throws FaceplateError when it cannot */
  return(): Promise<void>;
  /** The running version has proved itself. */
  markGood(): Promise<void>;
  /** Whether what runs has still to prove itself, whatever this service remembers of it. */
  isUnproven(): Promise<boolean>;
  /** Why the version before runs again without having been asked for; null when that did not happen. */
  takenBack(): Promise<string | null>;
}

/** USB sticks that are plugged in. */
export interface UpdateSticks {
  /** Calls back when one is plugged in or out. @returns the function that ends it */
  watch(onChange: () => void): () => void;
  /** The bundles on all of them, by their names. Never fails. */
  bundles(): Promise<readonly string[]>;
  /** What a bundle says of itself; its content is not looked at. @throws where it cannot be read */
  peek(path: string): Promise<Bundle>;
}

/** What is asked at the panel about a version on a stick. */
export interface StickDialog {
  /** Asks; a question that is there already is replaced. @returns the function that takes it away */
  ask(version: string, answer: (isYes: boolean) => void): () => void;
  /** Says a sentence about a version that could not be installed. */
  failed(version: string, reason: string): void;
}

/** What the proof of a version needs to know of the panel. */
export interface ProvenPanel {
  /** Null: this panel shows no page. */
  page(): Pick<PageState, 'state' | 'since'> | null;
  /** Whether the service itself is well. */
  isWell(): boolean;
}

/** What the update service needs. */
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
  /** The boot of the machine, another one each time. */
  readonly boot?: () => string | null;
  readonly lookup?: DownloadOptions['lookup'];
  readonly log: Logger;
}
