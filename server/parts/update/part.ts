import { bootSlot } from '../../platform/bootSlot.ts';
import { systemWallClock } from '../../platform/clock.ts';
import { fetchBounded } from '../../platform/net/checkedRequest.ts';
import type { CertificatesService } from '../certificates/service.ts';
import type { JournalService } from '../journal/service.ts';
import type { MessageService } from '../messages/service.ts';
import { type Core, definePart } from '../part.ts';
import type { PowerService } from '../power/service.ts';
import type { ProjectsService } from '../projects/service.ts';
import { updateCommands } from './contract.ts';
import { DebianUpdates, SourcesUpdates } from './debianPackage.ts';
import type { UpdateDriver } from './driver.ts';
import { RaucUpdates } from './raucSlots.ts';
import { UpdateService } from './service.ts';
import { ImageSticks, stickDialog, stickTexts, UsbUpdates } from './usbUpdates.ts';

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

/** A signal for work that no caller waits for. */
const never = new AbortController().signal;

interface Needs {
  readonly certificates: CertificatesService;
  readonly journal: JournalService;
  readonly message: MessageService;
  readonly power: PowerService;
  readonly projects: ProjectsService;
  readonly sip: {
    /** Whether there is a call, or one rings: nothing restarts then by itself. */
    isInCall(): Promise<boolean>;
  };
}

/** The other slot where this machine was booted from one; else our Debian package; else the sources, which are not updated. */
function driverFor(keys: string, power: PowerService): UpdateDriver {
  const isPackage = import.meta.dirname.startsWith(PACKAGE_FOLDER);
  const slot = bootSlot();
  if (isPackage && slot !== null) return new RaucUpdates({ slot, keys, reboot: () => power.reboot() });
  return isPackage ? new DebianUpdates({ keys }) : new SourcesUpdates(keys);
}

/** The versions of this panel. */
export const update = definePart('update', (core: Core & Needs) => {
  const { loaded, version, dataDir, settings, store, closedPorts, kiosk, events, log } = core;
  const { certificates, journal, message, power, projects, sip } = core;
  const authorities = () => certificates.authorities();
  const service = new UpdateService({
    driver: driverFor(loaded.settings['update.keys'], power),
    installed: version,
    dataDir,
    space: projects.space,
    settings: () => {
      const now = settings();
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
    isInCall: () => sip.isInCall(),
    events,
    note: (command, params) => journal.noteFact(command, params),
    tell: (taken, seconds) => {
      const text = rolledBack[settings()['device.language']](taken);
      message
        .show({ id: 'faceplate.update', text, level: 'warning', style: 'banner', seconds })
        .catch((error: unknown) => log.info({ err: error }, 'update: could not report the rollback'));
    },
    clock: systemWallClock,
    log,
  });
  store.onLive(() => service.follow());
  return service;
})
  .answering(updateCommands)
  .showing(() => ({ hasUpdates: true }));

interface StickNeeds {
  readonly journal: JournalService;
  readonly message: MessageService;
  readonly update: UpdateService;
}

/** What is asked when a stick with a newer version is plugged in; only disk images look at sticks. */
export const sticks = definePart('sticks', (core: Core & StickNeeds) => {
  const { loaded, version, settings, journal, message, update, events, clock, log } = core;
  return new UsbUpdates({
    sticks: bootSlot() === null ? null : new ImageSticks(loaded.settings['update.keys']),
    dialog: stickDialog({
      message,
      bus: events,
      words: () => stickTexts[settings()['device.language']],
      onFailed: (error) => log.info({ err: error }, 'update: could not ask about the USB stick'),
    }),
    board: update.board,
    installed: version,
    oldest: () => update.oldest(),
    isIdle: () => update.state().state === 'idle',
    install: (bundle) => update.install({ bundle, older: false, restart: true }, { signal: never }),
    note: (command, params) => journal.noteFact(command, params),
    clock,
    log,
  });
});
