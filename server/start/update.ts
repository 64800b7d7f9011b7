import type { SipService } from '../intercom/calls/service.ts';
import type { Parts } from '../parts/index.ts';
import type { MessageService } from '../parts/messages/service.ts';
import type { ProjectsService } from '../parts/projects/service.ts';
import { DebianUpdates, SourcesUpdates } from '../parts/update/debianPackage.ts';
import type { UpdateDriver } from '../parts/update/driver.ts';
import { RaucUpdates } from '../parts/update/raucSlots.ts';
import { UpdateService } from '../parts/update/service.ts';
import { bootSlot } from '../platform/bootSlot.ts';
import type { ClosedPorts } from '../platform/checkedRequest.ts';
import { systemWallClock } from '../platform/clock.ts';
import { fetchBounded } from '../platform/fetchBounded.ts';
import { isInCall } from './inCall.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';

/** Largest list of versions, in bytes, and longest time for it, in milliseconds. */
const CHANNEL_BYTES = 1024 * 1024;
const CHANNEL_MS = 60_000;

/** Where our Debian package puts the service. */
const PACKAGE_FOLDER = '/usr/lib/faceplate/';

const texts = {
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
  readonly sip: SipService;
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
  const { launch, platform, parts, projects, sip, message, closedPorts, authorities } = needs;
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
    isInCall: () => isInCall(settings, sip),
    events: bus,
    note: (command, params) => journal.noteFact(command, params),
    tell: (taken, seconds) => {
      const text = texts[store.now()['device.language']](taken);
      message
        .show({ id: 'faceplate.update', text, level: 'warning', style: 'banner', seconds })
        .catch((error: unknown) => log.info({ err: error }, 'update: could not report the rollback'));
    },
    clock: systemWallClock,
    log,
  });
}
