import { mkdir } from 'node:fs/promises';
import { noteDataVersion } from '../config/dataFolder.ts';
import type { BegunBrowser } from '../kiosk/chromium/process/browserRun.ts';
import { findKioskSession, forgetPages, type KioskSession } from '../kiosk/session.ts';
import { afterReset, noteOpen } from '../platform/files/dataFolder.ts';
import { controlSocket } from '../platform/sway/panelSession.ts';
import { SwayIpc } from '../platform/sway/swayIpc.ts';
import { HttpServer } from '../surfaces/http/server.ts';
import { httpFallback, isHeld } from './httpAddress.ts';
import type { Launch } from './launch.ts';

/**
 * What comes before the rest of the service is even loaded, and therefore imports little. HTTP listens first, so that a
 * port in use is reported at once, and before a second browser meets the profile of the first; it answers STARTING. Then
 * the browser's program: it needs as long as all that follows.
 */
export async function startEarly(launch: Launch) {
  const { up } = launch;
  const { version, log } = launch.options;
  const { settings } = launch.options.settings;
  const { dataDir } = settings;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const fallback = httpFallback(launch.options.settings, launch.undone);
  const place = { host: settings['http.host'], port: settings['http.port'] };
  const http = await up(new HttpServer({ ...place, fallback, log }));
  http.onMoved(fallback.onMoved);
  // A second service would end at a port that a flag or the environment holds.
  if (!isHeld(launch.options.settings, 'http.port')) noteOpen(dataDir);
  await noteDataVersion(dataDir, version, log);
  const path = controlSocket(process.env);
  const sway = path === undefined ? undefined : await up(new SwayIpc({ path, log }));
  const session: KioskSession = { ...(await findKioskSession(settings)), sway };
  const reset = await afterReset(dataDir);
  await forgetPages(dataDir, session, log);
  const browser = await startBrowser(launch, session);
  return { http, session, reset, browser };
}

async function startBrowser(
  { up, options }: Launch,
  session: KioskSession,
): Promise<BegunBrowser | undefined> {
  const { settings } = options.settings;
  const loginOrigins = settings['kiosk.logins'].map(({ origin }) => origin);
  const browser = options.earlyBrowser?.({ settings, session, log: options.log }, loginOrigins);
  return browser && up(browser);
}

/** What was there before the rest. */
export type Early = Awaited<ReturnType<typeof startEarly>>;
