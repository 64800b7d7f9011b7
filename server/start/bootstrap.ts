import { mkdir } from 'node:fs/promises';
import { noteDataVersion } from '../config/loadSettings.ts';
import type { UndoneSettings } from '../config/proof/takenBack.ts';
import { cookieOrigins } from '../kiosk/pageExtras.ts';
import { findKioskSession, forgetPages, type KioskSession } from '../kiosk/session.ts';
import { afterReset, noteOpen } from '../platform/files/dataFolder.ts';
import { controlSocket, SwayIpc } from '../platform/sway/swayIpc.ts';
import { HttpServer } from '../surfaces/http/server.ts';
import { httpFallback } from './httpAddress.ts';
import type { Lifecycle, StartOptions } from './lifecycle.ts';

/**
 * The first step of the start. It imports little, because it runs before the rest of the service is loaded. HTTP listens
 * first and answers STARTING, so that a port in use is reported at once, before a second browser opens the profile of the
 * first. Then the browser's program starts, where it does not run already (browserAhead.ts): it takes as long as all the
 * following steps.
 */
export async function bootstrap(
  lifecycle: Lifecycle,
  { settings: loaded, version, earlyBrowser, log }: StartOptions,
  undone: UndoneSettings,
) {
  const { settings } = loaded;
  const { dataDir } = settings;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const fallback = httpFallback(loaded, undone);
  const place = { host: settings['http.host'], port: settings['http.port'] };
  const http = await lifecycle.start(new HttpServer({ ...place, fallback, log }));
  http.onMoved(fallback.onMoved);
  // For a second service, and for the command line of this machine.
  noteOpen(dataDir);
  await noteDataVersion(dataDir, version, log);
  const path = controlSocket(process.env);
  const sway = path === undefined ? undefined : await lifecycle.start(new SwayIpc({ path, log }));
  const session: KioskSession = { ...(await findKioskSession(settings)), sway };
  const reset = await afterReset(dataDir);
  await forgetPages(dataDir, session, log);
  const origins = {
    loginOrigins: settings['kiosk.logins'].map(({ origin }) => origin),
    cookieOrigins: cookieOrigins(settings).all,
  };
  const browser = earlyBrowser?.({ settings, session, log }, origins);
  if (browser !== undefined) await lifecycle.start(browser);
  return { http, session, reset, browser };
}

/** What the first step has started and found. */
export type Early = Awaited<ReturnType<typeof bootstrap>>;
