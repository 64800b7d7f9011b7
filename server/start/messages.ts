import type { Glass } from '../kiosk/glass/glass.ts';
import type { Parts } from '../parts/index.ts';
import { PICTURE_BYTES } from '../parts/messages/picture.ts';
import { type HeardMessage, MessageService } from '../parts/messages/service.ts';
import { type SoundService, soundMeant } from '../parts/sound/service.ts';
import { systemClock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import type { Logger } from '../platform/log.ts';
import { reachableAddress, webOrigin } from '../platform/net/addresses.ts';
import { type ClosedPorts, fetchBounded } from '../platform/net/checkedRequest.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';

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
    sound: {
      begin: (heard) => beginSound(parts.sound, heard),
      assertSound: (sound) => parts.sound.assertSound(sound, 'sound'),
    },
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
    ...(isAlarm && { urgent: true, ...(sound !== null && { repeat: 'untilStopped', instead: 'alarm' }) }),
  });
  return () => handle.stop();
}

const texts = {
  en: (names: string, url: string) =>
    `The panel does not work with some settings and has taken them back: ${names}. More about it: ${url}`,
  de: (names: string, url: string) =>
    `Mit einigen Einstellungen funktioniert das Panel nicht. Zurückgenommen wurden: ${names}. Mehr dazu: ${url}`,
  es: (names: string, url: string) =>
    `El panel no funciona con algunos ajustes y los ha retirado: ${names}. Más información: ${url}`,
};
const ID = 'faceplate.settings';
/** How long it is shown, in seconds: it keeps the panel awake. */
const SHOWN = 3_600;
/** So many settings are named. */
const NAMED = 10;

interface NoteOptions {
  readonly launch: Launch;
  readonly platform: Pick<Platform, 'http' | 'store' | 'bus'>;
  readonly message: Pick<MessageService, 'show' | 'remove'>;
}

/** Says on the glass which settings were taken back, for an hour, or until nothing is left. */
export class UndoneNote {
  readonly #options: NoteOptions;
  #isTold = false;
  #end = (): void => {};

  constructor(options: NoteOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { launch, platform } = this.#options;
    launch.undone.onChange(() => this.#tell());
    // Whoever turns or scales the screen has changed what was taken back of it.
    const view = launch.options.settings.start.view;
    this.#end = platform.bus.onAny((name, payload) => {
      if (name !== 'display') return;
      const now = payload as typeof view;
      const changed = (['zoom', 'rotation'] as const).filter((part) => now[part] !== view[part]);
      launch.undone.forget(changed.map((part) => `display.${part}`));
    });
    this.#tell();
  }

  async stop(): Promise<void> {
    this.#end();
  }

  #tell(): void {
    const { launch, platform, message } = this.#options;
    const names = launch.undone.list().map(({ setting }) => setting);
    const failed = (error: unknown) =>
      launch.options.log.info({ err: error }, 'config: could not report the settings that were rolled back');
    if (names.length === 0) {
      // Somebody may have dismissed it.
      if (this.#isTold) message.remove({ id: ID }).catch(() => undefined);
      this.#isTold = false;
      return;
    }
    this.#isTold = true;
    const { outside, securePort } = platform.http;
    const url = `${webOrigin(reachableAddress(outside.host, outside.port), securePort)}/manage/`;
    const more = names.length > NAMED ? ' …' : '';
    const listed = `${names.slice(0, NAMED).join(', ')}${more}`;
    const text = texts[platform.store.now()['device.language']](listed, url);
    message.show({ id: ID, text, level: 'warning', style: 'banner', seconds: SHOWN }).catch(failed);
  }
}
