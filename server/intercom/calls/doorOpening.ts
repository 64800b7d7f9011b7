import { FaceplateError } from '../../contract/errors.ts';
import type { DoorRelay } from '../ports.ts';
import type { CurrentCall } from './currentCall.ts';
import type { Doors } from './doors.ts';

/**
 * Opens a door as its settings say: by keys within the call with it, else by its request on the local network. The keys
 * are sent only to the door itself.
 * @param name without it the door that calls, or the only one
 * @throws FaceplateError whose sentence says what is missing
 */
export async function openDoor(
  name: string | undefined,
  { call, doors, relay }: { call: CurrentCall | undefined; doors: Doors; relay: DoorRelay },
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
