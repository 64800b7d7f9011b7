import { mkdir } from 'node:fs/promises';
import { noteDataVersion } from '../config/dataVersion.ts';
import { maskedRollout, maskedSettings } from '../config/maskedSettings.ts';
import { loadPanelId } from '../config/panelId.ts';
import { ignoredKeys } from '../config/settingsFile.ts';
import { SettingsStore } from '../config/settingsStore.ts';
import { loadToken } from '../config/token.ts';
import { loadBoard } from '../drivers/boards/board.ts';
import { boardRules } from '../drivers/boards/boardRules.ts';
import type { BegunBrowser } from '../kiosk/chromium/process/browserRun.ts';
import { forgetPages } from '../kiosk/forgetPages.ts';
import { Glass } from '../kiosk/glass/glass.ts';
import { Kiosk } from '../kiosk/kiosk.ts';
import { homeLogin } from '../kiosk/mayShow.ts';
import { SaverService } from '../kiosk/saver/service.ts';
import { findKioskSession, type KioskSession } from '../kiosk/session.ts';
import { systemClock } from '../platform/clock.ts';
import { EventBus } from '../platform/eventBus.ts';
import { fetchBounded } from '../platform/fetchBounded.ts';
import { Holders } from '../platform/holders.ts';
import { afterReset } from '../platform/pendingChange.ts';
import { JournalService, type Noted } from '../services/journal/service.ts';
import { HttpServer } from '../surfaces/http/server.ts';
import { controlSocket } from '../sway/panelSession.ts';
import { SwayIpc } from '../sway/swayIpc.ts';
import type { Launch } from './launch.ts';

/** The base of everything. HTTP listens first, so that a port in use is reported at once; it answers STARTING. */
export async function startPlatform(launch: Launch) {
  const { up } = launch;
  const { version, log } = launch.options;
  const { settings, data, file } = launch.options.settings;
  const { dataDir } = settings;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const http = await up(new HttpServer({ host: settings['http.host'], port: settings['http.port'], log }));
  await noteDataVersion(dataDir, version, log);
  const token = loadToken(dataDir, settings.token);
  const id = await loadPanelId(dataDir, log);
  const board = await loadBoard(settings.board, boardRules(log));
  log.info({ version, board: board.name, dataDir }, 'faceplate starts');
  if (file.migrated)
    log.info({ since: file.migrated.since }, 'settings.json has keys of before these versions');
  if (data.isLater)
    log.warn(
      { version, data: data.version, ignored: ignoredKeys(file) },
      'a later version wrote in the data folder: settings that are not known here are kept and ignored',
    );
  const store = new SettingsStore(launch.options.settings, log);
  const bus = new EventBus(log);
  const holders = new Holders(systemClock);
  launch.started.push(holders);
  const path = controlSocket(process.env);
  const sway = path === undefined ? undefined : await up(new SwayIpc({ path, log }));
  const session = { ...(await findKioskSession(settings)), sway };
  const kiosk = new Kiosk({ settings: store.now, port: http.port, log });
  launch.kiosk = kiosk;
  const glass = new Glass({ language: () => store.now()['device.language'], clock: systemClock, log });
  const saver = new SaverService({
    choice: () => ({ saver: store.now()['idle.saver'], photos: store.now()['idle.photos'] }),
    glass,
    origin: () => kiosk.addresses.originOf('glass'),
    fetch: (address, limits) =>
      fetchBounded(address, { ...limits, ownPorts: [http.port, http.securePort ?? http.port] }),
    clock: systemClock,
    log,
  });
  launch.started.push(saver);
  const masks = {
    'settings.change': (tree: unknown) => maskedSettings(tree),
    'fleet.rollout': maskedRollout,
  };
  const journal = await up(new JournalService({ dataDir, clock: systemClock, date: Date.now, masks, log }));
  const reset = await afterReset(dataDir);
  if (reset !== undefined) journal.note(reset.note as Noted);
  await forgetPages(dataDir, session, log);
  const early = await startEarly(launch, session, store);
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
    journal,
    early,
  };
}

/** The browser's program needs as long as the rest of the start, so it comes first. */
async function startEarly(
  { up, options }: Launch,
  session: KioskSession,
  store: SettingsStore,
): Promise<BegunBrowser | undefined> {
  const { settings } = options.settings;
  const home = homeLogin(store.now()['kiosk.url']);
  const loginOrigins = [
    ...(home === null ? [] : [home]),
    ...store.now()['kiosk.logins'].map(({ origin }) => origin),
  ];
  const early = options.earlyBrowser?.({ settings, session, log: options.log }, loginOrigins);
  return early && up(early);
}

/** What every later step stands on. */
export type Platform = Awaited<ReturnType<typeof startPlatform>>;
