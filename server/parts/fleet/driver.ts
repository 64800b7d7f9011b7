import type { CommandName } from '../../contract/commands.ts';
import type { StoredRollout } from './contract.ts';

/** What another panel said on the broker, or no longer says. */
export interface Heard {
  /** `mqtt.id` of that panel. */
  readonly id: string;
  /** `availability`, `state/info`, `state/page`, `state/projects`, `state/update`, or `event/project`. */
  readonly topic: string;
  /** JSON, or text for `availability`; undefined: the topic was emptied. */
  readonly payload: unknown;
}

/** The broker, as the fleet needs it. */
export interface FleetBroker {
  readonly isConnected: boolean;
  /** The name of this panel on the broker. */
  readonly ownId: string;
  onConnection(listener: (isConnected: boolean) => void): () => void;
  /** Hears all panels until the returned function is called; what is retained comes first. */
  listen(heard: (what: Heard) => void): () => void;
  /**
   * Sends a command to one panel and waits for its answer.
   * @throws FaceplateError with the code of that panel's answer
   * @throws the reason of `signal`
   */
  command(
    id: string,
    name: CommandName | StoredRollout['command'],
    params: unknown,
    signal: AbortSignal,
  ): Promise<unknown>;
}

/** A panel heard by mDNS. */
export interface Neighbour {
  /** TXT `id`, which is `info.id` of that panel. */
  readonly id: string;
  readonly name: string;
  readonly version: string | null;
  readonly board: string | null;
  /** `<ip>:<port>` */
  readonly address: string;
  /** Port of HTTPS; null where it is off. */
  readonly https: number | null;
}

/** The panels that announce themselves on the network. */
export interface Neighbourhood {
  start(): Promise<void>;
  stop(): Promise<void>;
  panels(): readonly Neighbour[];
  onChange(listener: () => void): () => void;
}
