import { showIntercom } from '../intercom/index.ts';
import { PageDialogs } from '../kiosk/glass/pageDialogs.ts';
import { PageNote } from '../kiosk/glass/pageNote.ts';
import { LinuxKeyboards } from '../kiosk/keyboard/hardwareKeys/linux.ts';
import { SimulatedKeyboards } from '../kiosk/keyboard/hardwareKeys/simulated.ts';
import { KeyboardService } from '../kiosk/keyboard/service.ts';
import { recoverySettingsOf } from '../kiosk/recovery/recovery.ts';
import { panelOnScreen } from '../kiosk/settingsPage/panelFacts.ts';
import { systemClock } from '../platform/clock.ts';
import { panelUrl } from '../platform/net/addresses.ts';
import { containerSpec } from '../surfaces/bridge/pageSurfaces.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';
import type { Services } from './services.ts';
import type { Surfaces } from './surfaces.ts';

/** The window comes last: by now everything that it shows is ready. */
export async function showKiosk(
  launch: Launch,
  { settings, http, board, store, session, bus, kiosk, glass, saver, journal, early }: Platform,
  { parts, certificates, intercomPage, projects, settingsPage, isInCall, fleet, update }: Services,
  { isOem, bridge, settingsSink, announcer }: Surfaces,
): Promise<void> {
  const { version, log, print, createHost } = launch.options;
  if (settings['kiosk.project'] !== '') {
    // A bad archive must not keep the panel dark: it shows what it showed before.
    await projects
      .installFile(settings['kiosk.project'])
      .catch((error: unknown) => log.error({ err: error }, 'projects: could not install kiosk.project'));
  }
  const onBrowserBack = (): void => {
    projects
      .screenReady()
      .catch((error: unknown) => log.warn({ err: error }, 'projects: could not clear the caches'));
    void settingsPage.browserBack();
  };
  const dialogs = new PageDialogs({ glass, clock: systemClock });
  const note = new PageNote({
    glass,
    language: () => store.now()['device.language'],
    manageUrl: () => `${panelUrl(http.web)}/manage/`,
    clock: systemClock,
    log,
  });
  launch.started.push(note);
  const openSettings = () => {
    dialogs.cancel();
    void settingsPage.open();
  };
  glass.onEvent((event) => event.slot === 'screen' && openSettings());
  const keyboard = new KeyboardService({
    window: kiosk,
    plugged: board.name === 'simulated' ? new SimulatedKeyboards() : new LinuxKeyboards(),
    settings: () => {
      const now = store.now();
      const { 'keyboard.enabled': enabled, 'keyboard.layouts': layouts } = now;
      return { enabled, layouts: layouts.length > 0 ? layouts : [now['device.language']] };
    },
    onRoom: (height) => glass.keepClear(height),
    clock: systemClock,
    log,
  });
  glass.onTaken(() => keyboard.covered());
  kiosk.onTurn(() => {
    glass.screenChanged();
    keyboard.screenChanged();
  });
  const host = await createHost({
    settings,
    recoverySettings: recoverySettingsOf(
      store.now,
      () =>
        panelOnScreen({
          name: store.now()['device.name'],
          language: store.now()['device.language'],
          web: http.web,
        }),
      isInCall,
    ),
    pageExtras: {
      logins: () => store.now()['kiosk.logins'],
      inject: () => store.now()['kiosk.inject'],
      readable: (text) => kiosk.given.shownIn(text),
    },
    policy: kiosk.addresses.policy,
    certificates,
    session,
    early,
    spec: containerSpec({ version, isOem, aliases: settings['bridge.aliases'] }),
    log,
    print,
    onActivity: () => {
      parts.idle.activity();
      kiosk.pages.touched();
    },
    onKeepAwake: () => parts.idle.pageHolds(),
    onBrowserBack,
    onSettingsCall: openSettings,
    onField: (focus) => keyboard.focused(focus),
    onDialog: (dialog, gone) => dialogs.ask(dialog, gone),
    onPageState: (state) => {
      note.follow(state);
      launch.proof.pageIs(state.state);
      parts.gpio.pageIs(state.state === 'shown');
      bus.emit('page', kiosk.pages.stateOf(state));
    },
    onPageTrouble: (state) => {
      const page = kiosk.pages.stateOf(state);
      log.warn({ state: page.state, page: page.url, errors: page.errors }, 'kiosk: the page does not work');
      journal.noteFact('page.state', page);
    },
  });
  launch.host = host;
  launch.started.push(host);
  glass.attach(host, `${kiosk.addresses.originOf('glass')}/`);
  launch.started.push(glass);
  launch.started.push(kiosk.pages);
  kiosk.attach({ host, settingsSink, isProject: (id) => projects.folderOf(id) !== undefined });
  // Whoever touches what lies above the page uses the panel.
  glass.onEvent(() => parts.idle.activity());
  store.onLive((changed) => {
    log.level = store.now()['log.level'];
    kiosk.follow(changed);
    void keyboard.follow();
    if (changed.some((key) => key.startsWith('idle.'))) parts.idle.follow();
    if (changed.includes('kiosk.authorities')) certificates.authoritiesChanged();
    saver.follow().catch((error: unknown) => log.warn({ err: error }, 'saver: could not apply the change'));
    announcer.refresh();
    fleet.follow();
    update.follow();
  });
  const intercomUrl = `${kiosk.addresses.originOf('intercom')}/`;
  if (settings['sip.enabled']) await showIntercom(host, intercomUrl, intercomPage.sink, log);
  await kiosk.start(bridge);
  await launch.up(keyboard);
  // Not awaited: the page is on the screen. But at once: on an X server a window that opens takes the keys for a moment.
  if (host.kind !== 'none')
    glass.prepare().catch((error: unknown) => log.debug({ err: error }, 'glass: not ready'));
  await projects.screenReady();
  await settingsPage.openSetup();
  kiosk.onProject(() => settingsPage.projectShown());
}
