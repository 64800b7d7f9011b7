import type { MessageService } from '../parts/messages/service.ts';
import type { StickDialog } from '../parts/update/driver.ts';
import type { UpdateService } from '../parts/update/service.ts';
import { ImageSticks, UsbUpdates } from '../parts/update/usbUpdates.ts';
import { bootSlot } from '../platform/bootSlot.ts';
import { systemClock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';

const texts = {
  en: {
    ask: (version: string) => `Version ${version} is on the USB stick. The panel restarts into it.`,
    yes: 'Install',
    no: 'Not now',
    failed: (version: string) => `Version ${version} was not installed.`,
  },
  de: {
    ask: (version: string) => `Version ${version} ist auf dem USB-Stick. Das Panel startet damit neu.`,
    yes: 'Installieren',
    no: 'Nicht jetzt',
    failed: (version: string) => `Version ${version} wurde nicht installiert.`,
  },
  es: {
    ask: (version: string) => `La versión ${version} está en la memoria USB. El panel se reinicia con ella.`,
    yes: 'Instalar',
    no: 'Ahora no',
    failed: (version: string) => `La versión ${version} no se instaló.`,
  },
};
const ID = 'faceplate.stick';
const never = new AbortController().signal;

interface StickParts {
  readonly launch: Launch;
  readonly platform: Platform;
  readonly message: MessageService;
  readonly update: UpdateService;
}

/** What is asked when a stick with a newer version is plugged in; only disk images look at sticks. */
export function createStickOffers({ launch, platform, message, update }: StickParts): UsbUpdates {
  const { version, log } = launch.options;
  const { settings, bus, journal, store } = platform;
  const words = () => texts[store.now()['device.language']];
  return new UsbUpdates({
    sticks: bootSlot() === null ? null : new ImageSticks(settings['update.keys']),
    dialog: stickDialog({
      message,
      bus,
      words,
      onFailed: (error) => log.info({ err: error }, 'update: could not ask about the USB stick'),
    }),
    board: update.board,
    installed: version,
    oldest: () => update.oldest(),
    isIdle: () => update.state().state === 'idle',
    install: (bundle) => update.install({ bundle, older: false, restart: true }, { signal: never }),
    note: (command, params) => journal.noteFact(command, params),
    clock: systemClock,
    log,
  });
}

interface DialogParts {
  readonly message: Pick<MessageService, 'show' | 'remove'>;
  readonly bus: Pick<EventBus, 'onAny'>;
  words(): (typeof texts)['en'];
  onFailed(error: unknown): void;
}

/** The dialog about a version, as a message above every page. */
export function stickDialog({ message, bus, words, onFailed }: DialogParts): StickDialog {
  return {
    ask: (version, answer) => {
      const { ask, yes, no } = words();
      const buttons = [
        { id: 'install', label: yes },
        { id: 'later', label: no },
      ];
      let isThere = true;
      const end = bus.onAny((name, payload) => {
        if (name !== 'message') return;
        const { id, action, button } = payload as { id: string; action: string; button?: string };
        if (id !== ID || action === 'shown') return;
        end();
        isThere = false;
        // A message of this id that somebody else puts in its place is not ours.
        answer(action === 'pressed' && button === 'install');
      });
      const shown = message.show({
        id: ID,
        text: ask(version),
        level: 'info',
        style: 'dialog',
        seconds: 0,
        buttons,
      });
      shown.catch(onFailed);
      return () => {
        end();
        if (isThere) message.remove({ id: ID }).catch(() => {});
      };
    },
    failed: (version, reason) => {
      const text = `${words().failed(version)} ${reason}`;
      message.show({ id: ID, text, level: 'warning', style: 'dialog', seconds: 120 }).catch(onFailed);
    },
  };
}
