import { showIntercom } from '../intercom/index.ts';
import { forgetPages } from '../kiosk/forgetPages.ts';
import { recoverySettingsOf } from '../kiosk/recovery/recoverySettings.ts';
import { panelOnScreen } from '../kiosk/settingsPage/panelFacts.ts';
import { containerSpec } from '../surfaces/bridge/pageSurfaces.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';
import type { Services } from './services.ts';
import type { Surfaces } from './surfaces.ts';

/** The window comes last: by now everything that it shows is ready. */
export async function showKiosk(
  launch: Launch,
  { settings, http, store, session, bus, kiosk, journal }: Platform,
  { parts, certificates, intercomPage, projects, settingsPage }: Services,
  { isOem, bridge, settingsSink, announcer }: Surfaces,
): Promise<void> {
  const { version, log, print, createHost } = launch.options;
  await forgetPages(settings.dataDir, session, log);
  if (settings['kiosk.project'] !== '') {
    // A bad archive must not keep the panel dark: it shows what it showed before.
    await projects
      .installFile(settings['kiosk.project'])
      .catch((error: unknown) => log.error({ err: error }, 'kiosk.project could not be installed'));
  }
  const onBrowserBack = (): void => {
    projects.screenReady().catch((error: unknown) => log.warn({ err: error }, 'caches not cleared'));
  };
  const host = await createHost({
    settings,
    recoverySettings: recoverySettingsOf(store.now, () =>
      panelOnScreen({
        name: store.now()['device.name'],
        language: store.now()['device.language'],
        port: http.port,
      }),
    ),
    policy: kiosk.addresses.policy,
    certificates,
    session,
    spec: containerSpec({ version, isOem, aliases: settings['bridge.aliases'] }),
    log,
    print,
    onActivity: () => parts.rtc.touched(),
    onBrowserBack,
    onSettingsCall: () => void settingsPage.open(),
    onPageState: (state) => bus.emit('page', state),
    onPageTrouble: (page) => {
      log.warn({ state: page.state, page: page.url, errors: page.errors }, 'the kiosk page does not work');
      journal.noteFact('page.state', page);
    },
  });
  launch.host = host;
  launch.started.push(host);
  kiosk.attach({ host, settingsSink });
  store.onLive((changed) => {
    log.level = store.now()['log.level'];
    kiosk.follow(changed);
    announcer.refresh();
  });
  const intercomUrl = `${kiosk.addresses.originOf('intercom')}/`;
  if (settings['sip.enabled']) await showIntercom(host, intercomUrl, intercomPage.sink, log);
  await host.start(bridge, kiosk.addresses.home);
  await projects.screenReady();
  await settingsPage.openSetup();
  kiosk.onProject(() => settingsPage.projectShown());
}
