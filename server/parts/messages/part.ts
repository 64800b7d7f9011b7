import type { UndoneSettings } from '../../config/proof/takenBack.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import { reachableAddress, webOrigin } from '../../platform/net/addresses.ts';
import { type ClosedPorts, fetchBounded } from '../../platform/net/checkedRequest.ts';
import type { IdleService } from '../idle/service.ts';
import { type Core, definePart, type OwnServer } from '../part.ts';
import type { PowerService } from '../power/service.ts';
import { type SoundService, soundMeant } from '../sound/service.ts';
import { messageCommands } from './contract.ts';
import { PICTURE_BYTES } from './picture.ts';
import { type HeardMessage, MessageService } from './service.ts';

/** How long a picture may take, in milliseconds. */
const PICTURE_MS = 10_000;

interface Needs {
  readonly idle: IdleService;
  readonly power: PowerService;
  readonly sound: SoundService;
}

/** The messages of callers, on this panel's glass. */
export const message = definePart(
  'message',
  ({ glass, idle, power, sound, closedPorts, events, clock, log }: Core & Needs) =>
    new MessageService({
      screen: {
        show: (shown) => glass.set('message', shown),
        onEvent: (listener) => glass.onEvent(listener),
      },
      panel: {
        isAsleep: () => power.snapshot().state === 'asleep',
        onPower: (listener) => events.onAny((name) => name === 'power' && listener()),
        hold: () => idle.hold(),
      },
      sound: {
        begin: (heard) => beginSound(sound, heard),
        assertSound: (given) => sound.assertSound(given, 'sound'),
      },
      pictures: { fetch: (address, signal) => fetchPicture(address, closedPorts(), signal) },
      events,
      clock,
      log,
    }),
).answering(messageCommands);

async function fetchPicture(address: string, closedPorts: ClosedPorts, signal: AbortSignal) {
  const limits = { maxBytes: PICTURE_BYTES, timeoutMs: PICTURE_MS, closedPorts, signal };
  return (await fetchBounded(address, limits)).bytes;
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

/** Says on the glass which settings were taken back. */
export const undoneNote = definePart(
  'undoneNote',
  ({ loaded, undone, settings, http, message, events, log }: Core & { readonly message: MessageService }) =>
    new UndoneNote({
      undone,
      view: loaded.start.view,
      language: () => settings()['device.language'],
      http,
      message,
      events,
      log,
    }),
);

const texts = {
  en: (names: string, url: string) =>
    `The panel does not work with some settings and has undone them: ${names}. More about it: ${url}`,
  de: (names: string, url: string) =>
    `Mit einigen Einstellungen funktioniert das Panel nicht. Rückgängig gemacht wurden: ${names}. Mehr dazu: ${url}`,
  es: (names: string, url: string) =>
    `El panel no funciona con algunos ajustes y los ha deshecho: ${names}. Más información: ${url}`,
};
const ID = 'faceplate.settings';
/** How long it is shown, in seconds: it keeps the panel awake. */
const SHOWN = 3_600;
/** So many settings are named. */
const NAMED = 10;

interface NoteOptions {
  readonly undone: UndoneSettings;
  /** Zoom and rotation of the start. */
  readonly view: { readonly zoom: number; readonly rotation: number };
  readonly language: () => keyof typeof texts;
  readonly http: Pick<OwnServer, 'outside' | 'securePort'>;
  readonly message: Pick<MessageService, 'show' | 'remove'>;
  readonly events: EventBus;
  readonly log: Logger;
}

/** Says on the glass which settings were taken back, for an hour, or until nothing is left. */
class UndoneNote {
  readonly #options: NoteOptions;
  #isTold = false;
  #end = (): void => {};

  constructor(options: NoteOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { undone, view, events } = this.#options;
    undone.onChange(() => this.#tell());
    // A screen that is turned or scaled by a person has a new value in place of the one that was taken back.
    this.#end = events.onAny((name, payload) => {
      if (name !== 'display') return;
      const now = payload as typeof view;
      const changed = (['zoom', 'rotation'] as const).filter((part) => now[part] !== view[part]);
      undone.forget(changed.map((part) => `display.${part}`));
    });
    this.#tell();
  }

  async stop(): Promise<void> {
    this.#end();
  }

  #tell(): void {
    const { undone, language, http, message, log } = this.#options;
    const names = undone.list().map(({ setting }) => setting);
    const failed = (error: unknown) =>
      log.info({ err: error }, 'config: could not report the settings that were rolled back');
    if (names.length === 0) {
      // Somebody may have dismissed it.
      if (this.#isTold) message.remove({ id: ID }).catch(() => undefined);
      this.#isTold = false;
      return;
    }
    this.#isTold = true;
    const { outside, securePort } = http;
    const url = `${webOrigin(reachableAddress(outside.host, outside.port), securePort)}/manage/`;
    const more = names.length > NAMED ? ' …' : '';
    const listed = `${names.slice(0, NAMED).join(', ')}${more}`;
    const text = texts[language()](listed, url);
    message.show({ id: ID, text, level: 'warning', style: 'banner', seconds: SHOWN }).catch(failed);
  }
}
