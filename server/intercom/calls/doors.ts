import { FaceplateError } from '../../contract/errors.ts';
import type { DoorRelay } from '../ports.ts';
import type { Door } from '../settingsContract.ts';
import { parseAddress } from '../sipContract.ts';
import type { CallSession } from './callSession.ts';

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

/** The call that is there now. */
interface DoorCall {
  /** The door it is with. */
  readonly door: Door | undefined;
  readonly session: CallSession;
}

/**
 * Opens a door as its settings say: by keys within the call with it, else by its request on the local network. The keys
 * are sent only to the door itself.
 * @param name without it the door that calls, or the only one
 * @throws FaceplateError whose sentence says what is missing
 */
export async function openDoor(
  name: string | undefined,
  { call, doors, relay }: { call: DoorCall | undefined; doors: Doors; relay: DoorRelay },
): Promise<void> {
  const door = name === undefined ? (call?.door ?? doors.only) : doors.named(name);
  const session = call?.door === door ? call?.session : undefined;
  if (door === undefined) throw new FaceplateError('NOT_FOUND', 'no door of sip.doors is calling; name one.');
  if (door.dtmf !== undefined && session?.phase === 'connected') {
    if (await session.sendDtmf(door.dtmf, door.gapMs)) return;
    throw new FaceplateError('CONFLICT', 'the call ended meanwhile.');
  }
  if (door.url !== undefined) return relay.open(door.url);
  if (door.dtmf !== undefined) {
    throw new FaceplateError(
      'CONFLICT',
      `"${door.name}" is opened by keys within its call: answer, or call it, first.`,
    );
  }
  throw new FaceplateError('CONFLICT', `"${door.name}" has neither dtmf nor url in sip.doors.`);
}
