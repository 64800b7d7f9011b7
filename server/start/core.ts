import { loadPanelId } from '../config/loadSettings.ts';
import type { UndoneSettings } from '../config/proof/takenBack.ts';
import { ignoredKeys } from '../config/settingsFile.ts';
import { SettingsStore } from '../config/settingsStore.ts';
import { loadToken } from '../config/token.ts';
import { Glass } from '../kiosk/glass/glass.ts';
import { Kiosk } from '../kiosk/kiosk.ts';
import { SaverService } from '../kiosk/saver/service.ts';
import { desktopOptions } from '../parts/apps/desktop/desktop.ts';
import { boardRules, createBoardDrivers, isSimulated, loadBoard } from '../parts/boards/board.ts';
import type { Core } from '../parts/part.ts';
import { systemClock } from '../platform/clock.ts';
import { EventBus } from '../platform/eventBus.ts';
import { fetchBounded, requestChecked } from '../platform/net/checkedRequest.ts';
import { LocalTargets, OwnPorts } from '../platform/net/localTargets.ts';
import { ResourceScopes } from '../platform/resourceScopes.ts';
import type { Early } from './bootstrap.ts';
import type { Lifecycle, StartOptions } from './lifecycle.ts';

const MDNS_PORT = 5353;

/** Creates what all parts use: settings, board, drivers, events, the kiosk. */
export async function createCore(
  lifecycle: Lifecycle,
  options: StartOptions,
  undone: UndoneSettings,
  { http, session, reset }: Early,
): Promise<Core> {
  const { settings: loaded, version, restart, isWatched, print, log, logTail } = options;
  const { settings, data, file } = loaded;
  const { dataDir } = settings;
  const token = loadToken(dataDir, settings.token);
  const id = await loadPanelId(dataDir, log);
  const board = await loadBoard(settings.board, boardRules(log));
  log.info({ version, board: board.name, dataDir }, 'service: starting');
  if (file.migrated)
    log.info({ since: file.migrated.since }, 'config: settings.json has keys from before these versions');
  const ignored = ignoredKeys(file);
  if (data.isLater || ignored.length > 0)
    log.warn(
      { version, data: data.version, ignored },
      data.isLater
        ? 'config: a later version wrote the data folder, unknown settings are ignored'
        : 'config: settings.json has unknown or invalid settings, they are ignored',
    );
  if (undone.list().length > 0) log.warn({ undone: undone.list() }, 'config: settings rolled back');
  const store = new SettingsStore(loaded, log);
  store.onChange((keys) => undone.forget([...keys, 'settings.json']));
  const ownPorts = new OwnPorts();
  ownPorts.claim(() => http.ports);
  const debugPort = settings['kiosk.debugPort'];
  ownPorts.claim(() => [MDNS_PORT, ...(debugPort === 'off' ? [] : [debugPort])]);
  const kiosk = new Kiosk({ settings: store.now, port: http.port, ports: () => http.ports, log });
  const glass = new Glass({ language: () => store.now()['device.language'], clock: systemClock, log });
  const loginOf = (origin: string) => store.now()['kiosk.logins'].find((login) => login.origin === origin);
  const saver = new SaverService({
    choice: () => ({ saver: store.now()['idle.saver'], photos: store.now()['idle.photos'] }),
    glass,
    origin: () => kiosk.addresses.originOf('glass'),
    // A setting chooses the addresses, as it does the page: they may be of a program on this machine.
    fetch: (address, limits) => fetchBounded(address, { ...limits, closedPorts: http.ports, loginOf }),
    ask: (address, signal) => requestChecked(address, { closedPorts: http.ports, loginOf, signal }),
    clock: systemClock,
    log,
  });
  const desktop = desktopOptions(session, { installDir: settings['apps.installDir'], dataDir, log });
  return {
    version,
    id,
    dataDir,
    board,
    drivers: createBoardDrivers(board, { log, desktop }),
    loaded,
    settings: store.now,
    store,
    undone,
    token,
    kiosk,
    glass,
    saver: lifecycle.own(saver),
    session,
    http,
    events: new EventBus(log),
    holders: lifecycle.own(new ResourceScopes(systemClock)),
    ownPorts,
    targets: new LocalTargets({ ownPorts: ownPorts.now, mayAskOurselves: isSimulated(board) }),
    closedPorts: () => (isSimulated(board) ? http.ports : 'all'),
    resetNote: reset?.note,
    restartService: restart,
    isWatched,
    clock: systemClock,
    print,
    log,
    logTail,
  };
}
