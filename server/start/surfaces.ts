import { hostname } from 'node:os';
import { type AuditRecord, Dispatcher } from '../commands/dispatch.ts';
import { bindCommands } from '../commands/handlers.ts';
import { pageFolders } from '../kiosk/addresses.ts';
import { LiveScreen } from '../kiosk/live/service.ts';
import { qrRows } from '../kiosk/qrCode.ts';
import { panelFacts } from '../kiosk/settingsPage/panelFacts.ts';
import type { Noted } from '../parts/journal/service.ts';
import { systemClock } from '../platform/clock.ts';
import { StrangersLog } from '../platform/limits.ts';
import { PanelAnnouncer } from '../platform/mdns/panelAnnouncer.ts';
import { reachableAddress } from '../platform/net/addresses.ts';
import { createBridge } from '../surfaces/bridge/bridge.ts';
import { createSettingsChannel } from '../surfaces/bridge/settingsChannel.ts';
import { systemInfo } from '../systemInfo.ts';
import { HttpsPort } from './httpAddress.ts';
import type { Launch } from './launch.ts';
import { homeAssistantPanel, Mqtt } from './mqtt.ts';
import type { Platform } from './platform.ts';
import type { Services } from './services.ts';

/** The surfaces: callers over HTTP, the kiosk page and the settings page. */
export async function openSurfaces(
  { options, undone, started, up }: Launch,
  { settings, dataDir, http, id, board, store, bus, holders, kiosk, saver, journal }: Platform,
  services: Services,
) {
  const { version, log, logTail, print } = options;
  const {
    parts,
    stream,
    camera,
    projects,
    access,
    https,
    settingsPage,
    metrics,
    sip,
    fleet,
    approval,
    update,
  } = services;
  const identity = () => ({
    name: store.now()['device.name'],
    id,
    address: reachableAddress(http.outside.host, http.outside.port),
  });
  const system = systemInfo({
    identity,
    version,
    board: board.name,
    parts: services.panel,
    stream,
    camera,
    kiosk,
    https: () =>
      http.securePort === undefined ? null : { port: http.securePort, fingerprint: https.fingerprint },
    mqtt: () => mqtt.facts(),
  });
  const { snapshot } = system;
  const handlers = {
    ...services.panel.answers(),
    ...bindCommands({
      ...services,
      ...parts,
      kiosk,
      live: new LiveScreen({ window: kiosk, isAsking: () => approval.isAsking, clock: systemClock }),
      settings: store,
      journal,
      panelFacts: (identity) =>
        panelFacts(
          {
            name: store.now()['device.name'],
            language: store.now()['device.language'],
            web: http.web,
            versions: { Faceplate: version, 'Node.js': process.versions.node },
          },
          access.startPairing(identity, settingsPage.isFirstSetup).url,
        ),
      shownPairing: (identity) => {
        const { code, isTried } = access.shownPairing(identity, settingsPage.isFirstSetup);
        return { code: code && { ...code, qr: qrRows(code.url) }, isTried };
      },
      info: system.info,
      logTail,
    }),
  };
  const strangers = new StrangersLog(log);
  const dispatcher = new Dispatcher(handlers, log, {
    pageMay: (setting) => store.now()[setting],
    note: (call) => (call.isStranger ? journal.noteStranger(noted(call)) : journal.note(noted(call))),
    strangers,
    approval,
    count: (command, code) => {
      metrics.counted(command, code);
      mqtt.called(command);
    },
  });
  const { dispatch } = dispatcher;
  const mqtt: Mqtt = new Mqtt({
    store,
    panelId: id,
    dataDir,
    dispatch,
    noteRefused: (...refused) => dispatcher.noteRefused(...refused),
    bus,
    fleet,
    clock: systemClock,
    strangers,
    log,
    panel: {
      info: system.info,
      snapshot,
      health: async () => services.health.state(),
      projects: () => projects.list(),
      sip: async () => (settings['sip.enabled'] ? sip.getStatus() : undefined),
      update: () => update.state(),
      rollout: (rolloutId) => fleet.progress({ id: rolloutId }),
      onInput: (listener) => parts.gpio.onInput(listener),
    },
    house: homeAssistantPanel({
      ...services,
      info: system.info,
      store,
      kiosk,
      isIntercomOn: settings['sip.enabled'],
    }),
  });
  const { addresses } = kiosk;
  await http.open({
    version,
    dispatch,
    bus,
    holders,
    snapshot,
    pages: pageFolders(projects, saver),
    guard: {
      panelName: hostname(),
      allowedHosts: () => store.now()['http.allowedHosts'],
      identify: (token, address) => access.identify(token, address),
      mustNotWait: (command, address) => {
        if (command === 'pairing.finish') access.mustNotWaitToPair(address);
      },
      onRefused: (command, identity, address, failure) =>
        dispatcher.noteRefused(command, { surface: 'http', identity, address, origin: address }, failure),
      allowedOrigins: () => [addresses.activeOrigin, ...store.now()['http.allowedOrigins']],
      now: () => performance.now(),
    },
    drain: () => dispatcher.stop(),
  });
  if (settings['http.plain'] === 'loopback') http.closePlain();
  await up(new HttpsPort({ loaded: options.settings, http, https, undone, clock: systemClock, log, print }));
  // It listened first, but is closed first too: its answers need everything that was started since.
  started.push(http);
  const announcer = await up(
    new PanelAnnouncer({
      announced: () => {
        const now = store.now();
        if (!now['http.announce']) return undefined;
        return {
          name: now['device.name'],
          host: http.outside.host,
          interfaceName: now['http.announceInterface'],
          port: http.outside.port,
          text: {
            version,
            board: board.name,
            path: '/manage/',
            id,
            ...(http.securePort !== undefined && { https: String(http.securePort) }),
          },
        };
      },
      clock: systemClock,
      log,
    }),
  );
  http.onMoved(() => {
    announcer.refresh();
    mqtt.infoChanged();
  });
  return {
    announcer,
    mqtt,
    dispatch,
    isOem: system.isOem(),
    bridge: createBridge({ dispatch, bus, holders, snapshot, log }),
    settingsSink: createSettingsChannel({
      dispatch,
      bus,
      snapshot,
      isUnlocked: () => settingsPage.isUnlocked,
    }),
  };
}

/** A call as the journal has it: a replay belongs to none of its surfaces, and is no call from outside. */
function noted({ isStranger: _, ...call }: AuditRecord): Noted {
  return { ...call, surface: call.surface === 'replay' ? 'panel' : call.surface };
}

export type Surfaces = Awaited<ReturnType<typeof openSurfaces>>;
