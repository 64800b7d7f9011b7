import type { MessageService } from '../parts/messages/service.ts';
import { reachableAddress, webOrigin } from '../platform/networks.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';

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
