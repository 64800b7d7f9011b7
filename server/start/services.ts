import type { Settings } from '../config/settings.ts';
import { SettingsBackup } from '../config/settingsBackup.ts';
import { callsKind } from '../intercom/calls/callHistory.ts';
import { preferencesKind } from '../intercom/calls/preferences.ts';
import type { SipService } from '../intercom/calls/service.ts';
import { createIntercom } from '../intercom/index.ts';
import { IntercomChannel } from '../intercom/intercomChannel.ts';
import { pageFolders } from '../kiosk/addresses.ts';
import { setupKind } from '../kiosk/settingsPage/firstSetup.ts';
import { pinKind } from '../kiosk/settingsPage/pinLock.ts';
import { SettingsPageService } from '../kiosk/settingsPage/service.ts';
import { AccessService } from '../parts/access/service.ts';
import { tokensKind } from '../parts/access/tokens.ts';
import { ApprovalService } from '../parts/approval/service.ts';
import { desktopOptions } from '../parts/apps/desktop/desktop.ts';
import type { BackedUpState } from '../parts/backup/contents.ts';
import { ResetService } from '../parts/backup/reset.ts';
import { BackupService } from '../parts/backup/service.ts';
import { isSimulated } from '../parts/boards/board.ts';
import { createBoardDrivers } from '../parts/boards/boardDrivers.ts';
import { AuthorityFiles } from '../parts/certificates/authorities.ts';
import { CertificatesService, certificatesKind } from '../parts/certificates/service.ts';
import { TlsProbe } from '../parts/certificates/tlsProbe.ts';
import { Machine } from '../parts/health/machine.ts';
import { HealthService } from '../parts/health/service.ts';
import { DeviceRequest } from '../parts/http/deviceRequest.ts';
import { HttpRequestService } from '../parts/http/service.ts';
import { certificateSource } from '../parts/https/certificateSource.ts';
import { HttpsService } from '../parts/https/service.ts';
import { parts as panelParts } from '../parts/index.ts';
import { ledKind } from '../parts/led/service.ts';
import { MetricsService } from '../parts/metrics/service.ts';
import { ProjectFetchService } from '../parts/projectFetch/service.ts';
import { ProjectsService } from '../parts/projects/service.ts';
import { RestartService } from '../parts/restart/service.ts';
import { scheduleKind } from '../parts/sleep/service.ts';
import { TcpService } from '../parts/tcp/service.ts';
import { SocketLinks } from '../parts/tcp/socketLinks.ts';
import type { UpdateService } from '../parts/update/service.ts';
import { systemClock, systemWallClock } from '../platform/clock.ts';
import { nativeMedia } from '../platform/native/nativeMedia.ts';
import { panelUrl } from '../platform/net/addresses.ts';
import { LocalTargets } from '../platform/net/localTargets.ts';
import { StreamService } from '../video/service.ts';
import { SimulatedCamera } from '../video/simulatedCamera/simulatedCamera.ts';
import { portableDriver } from '../webrtc/portableDriver.ts';
import type { Launch } from './launch.ts';
import { createMessages, UndoneNote } from './messages.ts';
import { createFleet } from './mqtt.ts';
import type { Platform } from './platform.ts';
import { createProvisioning } from './provisioning.ts';
import { createStickOffers, createUpdate } from './update.ts';

const MDNS_PORT = 5353;

/** The state files that make this panel this panel. */
export const backedUpState: BackedUpState = {
  open: [ledKind, scheduleKind, preferencesKind, callsKind, setupKind],
  // A pin that nobody has seen refused would be trust without `certificates.trust`, and without a yes at the panel.
  owners: [certificatesKind],
  secret: [pinKind, tokensKind],
};

/** What the panel does. */
export async function startServices(launch: Launch, platform: Platform) {
  const { up, options } = launch;
  const { version, log, isWatched } = options;
  const {
    settings,
    dataDir,
    http,
    token,
    board,
    store,
    bus,
    session,
    kiosk,
    glass,
    saver,
    holders,
    closedPorts,
    journal,
  } = platform;
  const desktop = desktopOptions(session, { installDir: settings['apps.installDir'], dataDir, log });
  const drivers = createBoardDrivers(board, { log, desktop });
  let intercom: Awaited<ReturnType<typeof createIntercom>> | undefined;
  let update: UpdateService | undefined;
  const webPorts = () => http.ports;
  const ownPorts = () => ownPortsOf(settings, webPorts(), intercom?.port());
  const targets = new LocalTargets({ ownPorts, mayAskOurselves: isSimulated(board) });
  const panel = await panelParts.start(up, {
    session,
    dataDir,
    board,
    drivers,
    settings: store.now,
    kiosk,
    saver,
    events: bus,
    holders,
    ownPorts,
    targets,
    clock: systemClock,
    soundPlaces: {
      origin: () => kiosk.addresses.activeOrigin,
      folder: () => pageFolders(projects, saver).folderOf(kiosk.addresses.activeId),
      closedPorts,
    },
    log,
  });
  const parts = panel.services;
  launch.outputs = parts.gpio;
  const authorities = new AuthorityFiles(() => store.now()['kiosk.authorities'], log);
  const certificates = await up(
    new CertificatesService({ probe: new TlsProbe(), dataDir, authorities: () => authorities.now(), log }),
  );
  const tcp = await up(
    new TcpService({
      driver: new SocketLinks(certificates),
      targets,
      events: bus,
      holders,
      clock: systemClock,
    }),
  );
  const httpRequest = new HttpRequestService({
    driver: new DeviceRequest(certificates),
    targets,
    clock: systemClock,
  });
  const media = nativeMedia(portableDriver, log);
  const stream = await up(
    new StreamService({
      bus,
      log,
      driver: media,
      lingerSeconds: () => store.now()['streams.lingerSeconds'],
      access: {
        ownPort: () => http.port,
        certificates,
        logins: () => store.now()['streams.logins'],
        udpHosts: () => store.now()['streams.udpHosts'],
      },
    }),
  );
  const intercomPage = new IntercomChannel(systemClock, log);
  intercom = await createIntercom({
    settings,
    version,
    bus,
    log,
    stream,
    certificates,
    page: intercomPage,
    mediaDriver: media,
    onRing: () => parts.idle.activity(),
  });
  const { sip } = intercom;
  launch.sip = sip;
  await up(sip);
  const isInCall = () => callGoesOn(settings, sip);
  const projects = await up(new ProjectsService({ dataDir, screen: kiosk, log }));
  await kiosk.show(projects.active);
  const projectFetch = await up(
    new ProjectFetchService({
      projects,
      closedPorts,
      authorities: () => authorities.now(),
      events: bus,
      clock: systemClock,
      log,
    }),
  );
  const fleet = await up(createFleet({ launch, platform, projects, update: () => update?.state() ?? null }));
  const approval = await up(
    new ApprovalService({
      commands: () => store.now()['approval.commands'],
      language: () => store.now()['device.language'],
      madeAt: (id) => access.madeAt(id),
      screen: {
        isThere: () => kiosk.hasScreen(),
        show: (question) => glass.set('approval', question),
        onEvent: (listener) => glass.onEvent(listener),
        hold: () => parts.idle.hold(),
      },
      journal: {
        readable: (command, params) => journal.readable(command, params),
        note: (answered) => journal.noteFact('approval', answered),
      },
      clock: systemClock,
      log,
    }),
  );
  const access = await up(
    new AccessService({
      owner: token,
      dataDir,
      clock: systemWallClock,
      panelUrl: () => panelUrl(http.web),
      onEnded: (holder) => {
        http.endStreamsOf(holder);
        holders.end(holder);
        approval.endOf(holder);
      },
      log,
    }),
  );
  const https = await up(
    new HttpsService({
      source: certificateSource(settings, () => store.now()['http.allowedHosts'], log),
      clock: systemClock,
      log,
    }),
  );
  const kept = new SettingsBackup(options.settings, store);
  const backup = await up(
    new BackupService({ dataDir, version, state: backedUpState, settings: kept, projects, log }),
  );
  const reset = new ResetService({
    dataDir,
    panelName: () => store.now()['device.name'],
    restart: () => options.restart('reset'),
    log,
  });
  const restart = new RestartService({ restart: isWatched ? () => options.restart('asked') : null, log });
  // Only the simulated board has a camera of its own.
  const camera = board.name === 'simulated' ? await up(new SimulatedCamera()) : undefined;
  const settingsPage = await up(
    new SettingsPageService({
      dataDir,
      heldPin: () => store.now()['kiosk.pin'],
      token,
      onRotated: () => access.ownerChanged(),
      window: kiosk,
      setup: {
        isWanted: settings.wizard,
        isFresh: () => options.settings.file.layer.size === 0 && projects.active === null,
      },
      clock: systemClock,
      log,
    }),
  );
  const message = await up(createMessages({ glass, parts, bus, closedPorts, log }));
  await up(new UndoneNote({ launch, platform, message }));
  update = await up(
    createUpdate({
      launch,
      platform,
      parts,
      projects,
      isInCall,
      message,
      closedPorts,
      authorities: () => authorities.now(),
    }),
  );
  const provisioning = await up(
    createProvisioning({ launch, platform, parts, projects, settingsPage, message }),
  );
  const sticks = await up(createStickOffers({ launch, platform, message, update }));
  const health = await up(
    new HealthService({
      driver: new Machine({ dataDir }),
      browserMemory: () => kiosk.browserMemory(),
      page: () => kiosk.pageSnapshot() ?? null,
      undone: launch.undone.list,
      events: bus,
      clock: systemClock,
      log,
    }),
  );
  const metrics = await up(
    new MetricsService({
      version,
      board: board.name,
      health: () => health.state(),
      recoveries: () => kiosk.recoveries(),
      streams: () => stream.sessions().sessions.length,
      events: bus,
    }),
  );
  return {
    panel,
    parts,
    certificates,
    tcp,
    httpRequest,
    stream,
    intercomPage,
    sip,
    isInCall,
    projects,
    projectFetch,
    fleet,
    backup,
    reset,
    restart,
    camera,
    access,
    approval,
    https,
    settingsPage,
    message,
    health,
    metrics,
    update,
    provisioning,
    sticks,
  };
}

export type Services = Awaited<ReturnType<typeof startServices>>;

/**
 * Ports of the panel's own servers: no page and no caller connects to them as to a device.
 * @param sip of the intercom, 0 while it is off
 */
function ownPortsOf(settings: Settings, web: readonly number[], sip = 0): readonly number[] {
  const debug = settings['kiosk.debugPort'];
  // SIP over TLS listens on the port after.
  return [...web, MDNS_PORT, ...(sip > 0 ? [sip, sip + 1] : []), ...(debug === 'off' ? [] : [debug])];
}

/** Whether the intercom has a call, or one rings: nothing restarts then by itself. */
async function callGoesOn(settings: Pick<Settings, 'sip.enabled'>, sip: SipService): Promise<boolean> {
  if (!settings['sip.enabled']) return false;
  const { callStatus } = await sip.getStatus();
  return callStatus !== 'idle' && callStatus !== 'failed';
}
