import { hostname } from 'node:os';
import { type AuditRecord, Dispatcher, type Handlers } from '../commands/dispatch.ts';
import { type Identity, isOwner } from '../contract/access.ts';
import type { ResultOf } from '../contract/commands.ts';
import type { Snapshot } from '../contract/events.ts';
import { pageFolders } from '../kiosk/addresses.ts';
import type { StartedPanel } from '../parts/index.ts';
import type { Noted } from '../parts/journal/service.ts';
import type { Core } from '../parts/part.ts';
import { StrangersLog } from '../platform/limits.ts';
import { PanelAnnouncer } from '../platform/mdns/panelAnnouncer.ts';
import { reachableAddress } from '../platform/net/addresses.ts';
import { createBridge } from '../surfaces/bridge/bridge.ts';
import { createSettingsChannel } from '../surfaces/bridge/settingsChannel.ts';
import type { HttpServer } from '../surfaces/http/server.ts';
import { Mqtt } from '../surfaces/mqtt.ts';
import { HttpsPort } from './httpAddress.ts';
import type { Lifecycle, StartOptions } from './lifecycle.ts';

/** The surfaces: callers over HTTP, the kiosk page and the settings page. MQTT waits for the page. */
export async function openSurfaces(
  lifecycle: Lifecycle,
  { print }: StartOptions,
  core: Core,
  http: HttpServer,
  panel: StartedPanel,
) {
  const { version, dataDir, id, board, loaded, store, undone, events, holders, kiosk, saver, clock, log } =
    core;
  const { services } = panel;
  const { access, approval, fleet, gpio, health, https, journal, metrics, projects, settingsPage } = services;
  const mqtt = new Mqtt({ store, panelId: id, dataDir, log });
  const info = (): ResultOf<'system.info'> => ({
    name: store.now()['device.name'],
    id,
    address: reachableAddress(http.outside.host, http.outside.port),
    version,
    board: board.name,
    recoveries: kiosk.recoveries(),
    parts: panel.info(),
    host: kiosk.hostKind,
    graphics: kiosk.graphics(),
    https: http.securePort === undefined ? null : { port: http.securePort, fingerprint: https.fingerprint },
    mqtt: mqtt.facts(),
  });
  const snapshot = (): Snapshot => panel.snapshot();
  const changer = (identity: Identity) => ({
    isOwner: isOwner(identity),
    scopes: identity.scopes,
    maySetFirstPin: () => identity.isFromSetup === true && settingsPage.isPinMissing,
  });
  const handlers: Handlers = {
    ...panel.answers(),
    'system.info': info,
    'settings.read': (_params, { identity }) => store.read(changer(identity)),
    'settings.change': (params, { identity }) => store.change(params, changer(identity)),
  };
  const strangers = new StrangersLog(log);
  const dispatcher = new Dispatcher(handlers, log, {
    pageMay: (setting) => store.now()[setting],
    note: (call) =>
      call.isStranger ? journal.noteStranger(toJournalEntry(call)) : journal.note(toJournalEntry(call)),
    strangers,
    approval,
    count: (command, code) => {
      metrics.counted(command, code);
      mqtt.called(command);
    },
  });
  const { dispatch } = dispatcher;
  await http.open({
    version,
    dispatch,
    bus: events,
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
      allowedOrigins: () => [kiosk.addresses.activeOrigin, ...store.now()['http.allowedOrigins']],
      now: () => performance.now(),
    },
    drain: () => dispatcher.stop(),
  });
  holders.onEnded((holder) => http.endStreamsOf(holder));
  if (loaded.settings['http.plain'] === 'loopback') http.closePlain();
  await lifecycle.start(new HttpsPort({ loaded, http, https, undone, clock, log, print }));
  // It listens first but also closes first: its answers need everything that started later.
  lifecycle.own(http);
  const announcer = await lifecycle.start(
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
      clock,
      log,
    }),
  );
  store.onLive(() => announcer.refresh());
  http.onMoved(() => {
    announcer.refresh();
    mqtt.infoChanged();
  });
  const isIntercomOn = loaded.settings['sip.enabled'];
  const openMqtt = async () => {
    lifecycle.own(mqtt);
    await mqtt.open({
      dispatch,
      noteRefused: (...refused) => dispatcher.noteRefused(...refused),
      bus: events,
      fleet,
      clock,
      strangers,
      panel: {
        info,
        snapshot,
        health: async () => health.state(),
        projects: () => projects.list(),
        joins: () => services.joins.sent(),
        onJoinsGone: (listener) => services.joins.onGone(listener),
        sip: async () => (isIntercomOn ? services.sip.getStatus() : undefined),
        update: () => services.update.state(),
        rollout: (rolloutId) => fleet.progress({ id: rolloutId }),
        onInput: (listener) => gpio.onInput(listener),
      },
      sources: { info, parts: panel, store, kiosk },
    });
  };
  return {
    dispatch,
    openMqtt,
    isOem: isOem(panel),
    bridge: createBridge({ dispatch, bus: events, holders, snapshot, joins: services.joins, log }),
    settingsSink: createSettingsChannel({
      dispatch,
      bus: events,
      snapshot,
      isUnlocked: () => settingsPage.isUnlocked,
    }),
  };
}

/** Whether the panel drives real lights, pins or serial ports, as a wall panel does. */
function isOem(panel: StartedPanel): boolean {
  return Object.entries(panel.info()).some(
    ([name, part]) => part.state === 'real' && /^(led|gpio|serial:.*)$/.test(name),
  );
}

/** A call as the journal stores it. The journal has no surface for a replay, which is no call from outside. */
function toJournalEntry({ isStranger: _, ...call }: AuditRecord): Noted {
  return { ...call, surface: call.surface === 'replay' ? 'panel' : call.surface };
}

export type Surfaces = Awaited<ReturnType<typeof openSurfaces>>;
