import { loadPanelId } from '../config/dataFolder.ts';
import { maskedRollout, maskedSettings } from '../config/hiddenValues.ts';
import { ignoredKeys } from '../config/settingsFile.ts';
import { SettingsStore } from '../config/settingsStore.ts';
import { loadToken } from '../config/token.ts';
import { Glass } from '../kiosk/glass/glass.ts';
import { Kiosk } from '../kiosk/kiosk.ts';
import { SaverService } from '../kiosk/saver/service.ts';
import { isSimulated, loadBoard } from '../parts/boards/board.ts';
import { boardRules } from '../parts/boards/boardRules.ts';
import { JournalService, type Noted } from '../parts/journal/service.ts';
import { systemClock } from '../platform/clock.ts';
import { EventBus } from '../platform/eventBus.ts';
import { type ClosedPorts, fetchBounded, requestChecked } from '../platform/net/checkedRequest.ts';
import { ResourceScopes } from '../platform/resourceScopes.ts';
import type { Early } from './early.ts';
import type { Launch } from './launch.ts';

/** The base of everything. */
export async function startPlatform(launch: Launch, { http, session, reset, browser: early }: Early) {
  const { up, undone, proof } = launch;
  const { version, log } = launch.options;
  const { settings, data, file } = launch.options.settings;
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
  const store = new SettingsStore(launch.options.settings, log);
  proof.follow(store.now);
  store.onChange((keys) => undone.forget([...keys, 'settings.json']));
  store.onLive(() => proof.changed());
  const bus = new EventBus(log);
  const holders = new ResourceScopes(systemClock);
  launch.started.push(holders);
  const kiosk = new Kiosk({ settings: store.now, port: http.port, ports: () => http.ports, log });
  launch.kiosk = kiosk;
  const glass = new Glass({ language: () => store.now()['device.language'], clock: systemClock, log });
  const closedPorts = (): ClosedPorts => (isSimulated(board) ? http.ports : 'all');
  const loginOf = (origin: string) => store.now()['kiosk.logins'].find((login) => login.origin === origin);
  const saver = new SaverService({
    choice: () => ({ saver: store.now()['idle.saver'], photos: store.now()['idle.photos'] }),
    glass,
    origin: () => kiosk.addresses.originOf('glass'),
    // Its addresses are chosen by a setting, as the page is, which may be of a program beside the panel.
    fetch: (address, limits) => fetchBounded(address, { ...limits, closedPorts: http.ports, loginOf }),
    ask: (address, signal) => requestChecked(address, { closedPorts: http.ports, loginOf, signal }),
    clock: systemClock,
    log,
  });
  launch.started.push(saver);
  const masks = {
    'settings.change': (tree: unknown) => maskedSettings(tree),
    'fleet.rollout': maskedRollout,
  };
  const journal = await up(new JournalService({ dataDir, clock: systemClock, date: Date.now, masks, log }));
  if (reset !== undefined) journal.note(reset.note as Noted);
  return {
    settings,
    dataDir,
    http,
    token,
    id,
    board,
    store,
    bus,
    holders,
    session,
    kiosk,
    glass,
    saver,
    closedPorts,
    journal,
    reset,
    early,
  };
}

/** What every later step stands on. */
export type Platform = Awaited<ReturnType<typeof startPlatform>>;
