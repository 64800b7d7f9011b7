import type { Parts } from '../parts/index.ts';
import type { MessageService } from '../parts/messages/service.ts';
import type { ProjectsService } from '../parts/projects/service.ts';
import { DebianUpdates, SourcesUpdates } from '../parts/update/debianPackage.ts';
import type { StickDialog, UpdateDriver } from '../parts/update/driver.ts';
import { RaucUpdates } from '../parts/update/raucSlots.ts';
import { UpdateService } from '../parts/update/service.ts';
import { ImageSticks, UsbUpdates } from '../parts/update/usbUpdates.ts';
import { bootSlot } from '../platform/bootSlot.ts';
import { systemClock, systemWallClock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import { type ClosedPorts, fetchBounded } from '../platform/net/checkedRequest.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';

/** Largest list of versions, in bytes, and longest time for it, in milliseconds. */
const CHANNEL_BYTES = 1024 * 1024;
const CHANNEL_MS = 60_000;

/** Where our Debian package puts the service. */
const PACKAGE_FOLDER = '/usr/lib/faceplate/';

const rolledBack = {
  en: (version: string) => `Version ${version} did not work on this panel. It is back on the one before.`,
  de: (version: string) =>
    `Version ${version} lief auf diesem Panel nicht. Es ist zurück auf der Version davor.`,
  es: (version: string) =>
    `La versión ${version} no funcionó en este panel. Ha vuelto a la versión anterior.`,
};

interface UpdateParts {
  readonly launch: Launch;
  readonly platform: Platform;
  readonly parts: Parts;
  readonly projects: ProjectsService;
  /** Whether the intercom has a call, or one rings: nothing restarts then by itself. */
  isInCall(): Promise<boolean>;
  readonly message: MessageService;
  readonly closedPorts: () => ClosedPorts;
  readonly authorities: () => readonly string[];
}

/** The other slot where this machine was booted from one; else our Debian package; else the sources, which are not updated. */
function driverFor(keys: string, parts: Parts): UpdateDriver {
  const isPackage = import.meta.dirname.startsWith(PACKAGE_FOLDER);
  const slot = bootSlot();
  if (isPackage && slot !== null) return new RaucUpdates({ slot, keys, reboot: () => parts.power.reboot() });
  return isPackage ? new DebianUpdates({ keys }) : new SourcesUpdates(keys);
}

/** The versions of this panel. */
export function createUpdate(needs: UpdateParts): UpdateService {
  const { launch, platform, parts, projects, isInCall, message, closedPorts, authorities } = needs;
  const { version, log } = launch.options;
  const { settings, dataDir, store, bus, kiosk, journal } = platform;
  return new UpdateService({
    driver: driverFor(settings['update.keys'], parts),
    installed: version,
    dataDir,
    space: projects.space,
    settings: () => {
      const now = store.now();
      return { channel: now['update.channel'], login: now['update.login'], window: now['update.window'] };
    },
    closedPorts,
    authorities,
    readChannel: async (address, loginOf, signal) => {
      const limits = { maxBytes: CHANNEL_BYTES, timeoutMs: CHANNEL_MS };
      const trust = { closedPorts: closedPorts(), authorities: authorities() };
      return (await fetchBounded(address, { ...limits, ...trust, loginOf, signal })).bytes;
    },
    panel: { page: () => kiosk.pageSnapshot() ?? null, isWell: () => kiosk.isWell() },
    isInCall,
    events: bus,
    note: (command, params) => journal.noteFact(command, params),
    tell: (taken, seconds) => {
      const text = rolledBack[store.now()['device.language']](taken);
      message
        .show({ id: 'faceplate.update', text, level: 'warning', style: 'banner', seconds })
        .catch((error: unknown) => log.info({ err: error }, 'update: could not report the rollback'));
    },
    clock: systemWallClock,
    log,
  });
}

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
