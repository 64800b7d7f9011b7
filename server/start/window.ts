import type { StartProof } from '../config/proof/startProof.ts';
import { showIntercom } from '../intercom/part.ts';
import type { BegunBrowser } from '../kiosk/chromium/process/browserRun.ts';
import { PageDialogs } from '../kiosk/glass/pageDialogs.ts';
import { PageNote } from '../kiosk/glass/pageNote.ts';
import type { KioskHost } from '../kiosk/host.ts';
import { LinuxKeyboards, SimulatedKeyboards } from '../kiosk/keyboard/driver.ts';
import { KeyboardService } from '../kiosk/keyboard/service.ts';
import { cookieOrigins } from '../kiosk/pageExtras.ts';
import { recoverySettingsOf } from '../kiosk/recovery/recovery.ts';
import { panelOnScreen } from '../kiosk/settingsPage/service.ts';
import { obeyLayers } from '../kiosk/windowStack.ts';
import type { Parts } from '../parts/index.ts';
import type { Core } from '../parts/part.ts';
import { panelUrl } from '../platform/net/addresses.ts';
import { containerSpec } from '../surfaces/bridge/pageSurfaces.ts';
import type { Lifecycle, StartOptions } from './lifecycle.ts';
import type { Surfaces } from './surfaces.ts';

/**
 * Creates the window, with all layers above the page. It comes after the parts and the surfaces: what it shows is ready.
 * @returns its host, and what opens it
 */
export async function createWindow(
  lifecycle: Lifecycle,
  { createHost, print }: StartOptions,
  core: Core,
  proof: StartProof,
  early: BegunBrowser | undefined,
  { idle, gpio, certificates, intercomPage, journal, network, projects, settingsPage, sip }: Parts,
  { isOem, bridge, settingsSink }: Surfaces,
): Promise<{ readonly host: KioskHost; open(): Promise<void> }> {
  const { version, http, board, loaded, store, session, events, kiosk, glass, saver, clock, log } = core;
  const { settings } = loaded;
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
  const dialogs = new PageDialogs({ glass, clock });
  const note = new PageNote({
    glass,
    language: () => store.now()['device.language'],
    manageUrl: () => `${panelUrl(http.web)}/manage/`,
    clock,
    log,
  });
  lifecycle.own(note);
  const openSettings = () => void settingsPage.open();
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
    clock,
    log,
  });
  obeyLayers({ glass, keyboard, dialogs, kiosk });
  kiosk.onTurn(() => {
    glass.screenChanged();
    keyboard.screenChanged();
  });
  const host = await createHost({
    settings,
    recoverySettings: recoverySettingsOf(
      store.now,
      async () => ({
        ...panelOnScreen({
          name: store.now()['device.name'],
          language: store.now()['device.language'],
          web: http.web,
        }),
        isBehindPortal: await network.isPortal(),
      }),
      () => sip.isInCall(),
    ),
    pageExtras: {
      logins: () => store.now()['kiosk.logins'],
      cookieOrigins: () => cookieOrigins(store.now()),
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
      idle.activity();
      kiosk.pages.touched();
    },
    onKeepAwake: () => idle.pageHolds(),
    onBrowserBack,
    onSettingsCall: openSettings,
    onField: (focus) => keyboard.focused(focus),
    onDialog: (dialog, gone) => dialogs.ask(dialog, gone),
    onPageState: (state) => {
      note.follow(state);
      proof.pageIs(state.state);
      gpio.pageIs(state.state === 'shown');
      events.emit('page', kiosk.pages.stateOf(state));
    },
    onPageTrouble: (state) => {
      const page = kiosk.pages.stateOf(state);
      log.warn({ state: page.state, page: page.url, errors: page.errors }, 'kiosk: the page does not work');
      journal.noteFact('page.state', page);
    },
  });
  lifecycle.own(host);
  glass.attach(host, `${kiosk.addresses.originOf('glass')}/`);
  lifecycle.own(glass);
  lifecycle.own(kiosk.pages);
  // A touch on a layer above the page is a use of the panel.
  glass.onEvent(() => idle.activity());
  store.onLive((changed) => {
    log.level = store.now()['log.level'];
    kiosk.follow(changed);
    void keyboard.follow();
    saver.follow().catch((error: unknown) => log.warn({ err: error }, 'saver: could not apply the change'));
  });
  const open = async () => {
    const intercomUrl = `${kiosk.addresses.originOf('intercom')}/`;
    if (settings['sip.enabled']) await showIntercom(host, intercomUrl, intercomPage.sink, log);
    const isProject = (id: string) => projects.folderOf(id) !== undefined;
    await kiosk.openWindow({ host, settingsSink, isProject }, bridge);
    await lifecycle.start(keyboard);
    // Not awaited: the page is on the screen. Begun now: a new window on an X server takes the keys for a moment.
    if (host.kind !== 'none')
      glass.prepare().catch((error: unknown) => log.debug({ err: error }, 'glass: not ready'));
    await projects.screenReady();
    await settingsPage.openSetup();
    kiosk.onProject(() => settingsPage.projectShown());
  };
  return { host, open };
}
