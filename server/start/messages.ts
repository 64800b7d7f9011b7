import type { Glass } from '../kiosk/glass/glass.ts';
import type { Parts } from '../parts/index.ts';
import { PICTURE_BYTES } from '../parts/messages/picture.ts';
import { type HeardMessage, MessageService } from '../parts/messages/service.ts';
import { type SoundService, soundMeant } from '../parts/sound/service.ts';
import type { ClosedPorts } from '../platform/checkedRequest.ts';
import { systemClock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import { fetchBounded } from '../platform/fetchBounded.ts';
import type { Logger } from '../platform/log.ts';

interface MessageNeeds {
  readonly glass: Glass;
  readonly parts: Parts;
  readonly bus: EventBus;
  readonly closedPorts: () => ClosedPorts;
  readonly log: Logger;
}

/** How long a picture may take, in milliseconds. */
const PICTURE_MS = 10_000;

/** The messages of callers, on this panel's glass. */
export function createMessages({ glass, parts, bus, closedPorts, log }: MessageNeeds): MessageService {
  return new MessageService({
    screen: {
      show: (message) => glass.set('message', message),
      onEvent: (listener) => glass.onEvent(listener),
    },
    panel: {
      isAsleep: () => parts.power.snapshot().state === 'asleep',
      onPower: (listener) => bus.onAny((name) => name === 'power' && listener()),
      hold: () => parts.idle.hold(),
    },
    sound: { begin: (heard) => beginSound(parts.sound, heard) },
    pictures: {
      fetch: async (address, signal) => {
        const limits = { maxBytes: PICTURE_BYTES, timeoutMs: PICTURE_MS, closedPorts: closedPorts(), signal };
        return (await fetchBounded(address, limits)).bytes;
      },
    },
    events: bus,
    clock: systemClock,
    log,
  });
}

/** An alarm ends what plays, and its sound is repeated, with its text, until it ends; a text alone is read once. */
function beginSound(player: SoundService, { id, sound, speak, isAlarm }: HeardMessage): () => void {
  const handle = player.begin({
    id,
    ...(sound !== null && soundMeant(sound)),
    ...(speak !== null && { text: speak }),
    ...(isAlarm && { urgent: true, ...(sound !== null && { repeat: 'untilStopped' }) }),
  });
  return () => handle.stop();
}
