import type { Door } from '../settingsContract.ts';
import { parseAddress } from '../sipContract.ts';

/** The doors of the settings. */
export class Doors {
  readonly #doors: readonly Door[];

  constructor(doors: readonly Door[]) {
    this.#doors = doors;
  }

  /** As the settings name them. */
  get names(): string[] {
    return this.#doors.map(({ name }) => name);
  }

  named(name: string): Door | undefined {
    return this.#doors.find((door) => door.name === name);
  }

  /** The door at an address. */
  ofAddress(host: string): Door | undefined {
    return this.#doors.find(({ peer }) => parseAddress(peer)?.host === host);
  }

  /** The door of an extension, for which a registrar vouches. */
  ofExtension(extension: string): Door | undefined {
    return this.#doors.find(({ peer }) => parseAddress(peer) === undefined && peer === extension);
  }

  /** Extensions of the doors that call by one. */
  get extensions(): string[] {
    return this.#doors.flatMap(({ peer }) => (parseAddress(peer) === undefined ? [peer] : []));
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
