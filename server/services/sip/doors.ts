import { parseAddress } from '../../contract/sip.ts';
import type { Door } from '../../contract/sipSettings.ts';
import type { CallPeer } from './driver.ts';

/** Who is at the other end of a call, as far as a door has to be recognised. */
export interface DoorCaller {
  readonly peer: Pick<CallPeer, 'host' | 'user'>;
  /** The registrar, or the built-in one, vouches for the user name. */
  readonly viaRegistrar: boolean;
}

/** The doors of the settings. */
export class Doors {
  readonly #doors: readonly Door[];

  constructor(doors: readonly Door[]) {
    this.#doors = doors;
  }

  named(name: string): Door | undefined {
    return this.#doors.find((door) => door.name === name);
  }

  /**
   * The door that a caller is. A user name counts only where a registrar vouches for it: anybody may write one into a
   * From header, and would be sent the door's digits.
   */
  of({ peer, viaRegistrar }: DoorCaller): Door | undefined {
    return this.#doors.find((door) => {
      const address = parseAddress(door.peer);
      if (address !== undefined) return !viaRegistrar && address.host === peer.host;
      return viaRegistrar && door.peer === peer.user;
    });
  }

  /** The only door there is. */
  get only(): Door | undefined {
    return this.#doors.length === 1 ? this.#doors[0] : undefined;
  }

  /** Addresses of the doors that are called by address. */
  static addresses(doors: readonly Door[]): string[] {
    return doors.flatMap((door) => parseAddress(door.peer)?.host ?? []);
  }
}
