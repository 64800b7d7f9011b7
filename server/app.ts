import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { Dispatcher } from './commands/dispatch.ts';
import { bindCommands } from './commands/handlers.ts';
import { noteDataVersion } from './config/dataVersion.ts';
import type { LoadedSettings } from './config/loadSettings.ts';
import { maskedSettings } from './config/maskedSettings.ts';
import { loadPanelId } from './config/panelId.ts';
import { SettingsBackup } from './config/settingsBackup.ts';
import { ignoredKeys } from './config/settingsFile.ts';
import { SettingsStore } from './config/settingsStore.ts';
import { loadToken } from './config/token.ts';
import { desktopOptions } from './drivers/apps/desktop/desktopOptions.ts';
import { loadBoard } from './drivers/boards/board.ts';
import { createBoardDrivers } from './drivers/boards/boardDrivers.ts';
import { boardRules } from './drivers/boards/boardRules.ts';
import { displayDrivers } from './drivers/boards/displayDrivers.ts';
import { TlsProbe } from './drivers/certificates/tlsProbe.ts';
import { Machine } from './drivers/health/machine.ts';
import { nativeMedia } from './drivers/native/nativeMedia.ts';
import type { SipService } from './intercom/calls/service.ts';
import { createIntercom, showIntercom } from './intercom/index.ts';
import { IntercomChannel } from './intercom/intercomChannel.ts';
import { pageFolders } from './kiosk/addresses.ts';
import { forgetPages } from './kiosk/forgetPages.ts';
import type { HostDependencies, KioskHost } from './kiosk/host.ts';
import { Kiosk } from './kiosk/kiosk.ts';
import { LiveScreen } from './kiosk/live/service.ts';
import { recoverySettingsOf } from './kiosk/recovery/recoverySettings.ts';
import { findKioskSession } from './kiosk/session.ts';
import { panelFacts, panelOnScreen } from './kiosk/settingsPage/panelFacts.ts';
import { SettingsPageService } from './kiosk/settingsPage/service.ts';
import { PanelAnnouncer } from './mdns/panelAnnouncer.ts';
import { startParts } from './parts.ts';
import { systemClock, systemWallClock } from './platform/clock.ts';
import { EventBus } from './platform/eventBus.ts';
import type { Logger } from './platform/log.ts';
import type { LogTail } from './platform/logTail.ts';
import { panelUrl, reachableAddress } from './platform/networks.ts';
import { afterReset } from './platform/pendingChange.ts';
import { AccessService } from './services/access/service.ts';
import { ResetService } from './services/backup/reset.ts';
import { BackupService } from './services/backup/service.ts';
import { CertificatesService } from './services/certificates/service.ts';
import { DisplayService } from './services/display/service.ts';
import { HealthService } from './services/health/service.ts';
import { certificateSource } from './services/https/certificateSource.ts';
import { HttpsService } from './services/https/service.ts';
import { JournalService, type Noted } from './services/journal/service.ts';
import { MetricsService } from './services/metrics/service.ts';
import { ProjectsService } from './services/projects/service.ts';
import { createBridge } from './surfaces/bridge/bridge.ts';
import { containerSpec } from './surfaces/bridge/pageSurfaces.ts';
import { createSettingsChannel } from './surfaces/bridge/settingsChannel.ts';
import { HttpServer } from './surfaces/http/server.ts';
import { systemInfo } from './systemInfo.ts';
import { StreamService } from './video/service.ts';
import { SimulatedCamera } from './video/simulatedCamera/simulatedCamera.ts';
import { portableDriver } from './webrtc/portableDriver.ts';

interface AppOptions {
  readonly settings: LoadedSettings;
  readonly version: string;
  readonly log: Logger;
  /** What `log` writes to. */
  readonly logTail: LogTail;
  print(line: string): void;
  createHost(dependencies: HostDependencies): Promise<KioskHost>;
  /** Ends the service so that the panel begins anew. */
  restart(): void;
}

interface Stoppable {
  stop(): Promise<void>;
}

/** What the steps of the start pass on, from top to bottom. They are `private`: a `#method` has no type to name. */
type Platform = Awaited<ReturnType<App['startPlatform']>>;
type Services = Awaited<ReturnType<App['startServices']>>;
type Surfaces = Awaited<ReturnType<App['openSurfaces']>>;

/**
 * The whole service: the one place that knows every part. `start` runs from top to bottom, each step awaited; `stop`
 * runs back up through everything that was started.
 */
export class App {
  readonly #options: AppOptions;
  readonly #started: Stoppable[] = [];
  #kiosk: Kiosk | undefined;
  #host: KioskHost | undefined;
  #sip: SipService | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: AppOptions) {
    this.#options = options;
  }

  /** @throws the reason why the service cannot run; everything that was started is stopped again. */
  async start(): Promise<void> {
    this.#starting = this.#start();
    try {
      await this.#starting;
    } catch (error) {
      if (this.#stopping) return;
      await this.stop();
      throw error;
    }
  }

  /** False once only a restart of the service can bring the kiosk page back. */
  isWell(): boolean {
    return this.#kiosk?.isWell() ?? true;
  }

  /** Ends everything, also in the middle of a start. Calls in flight are answered or refused with SHUTTING_DOWN. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const platform = await this.startPlatform();
    const services = await this.startServices(platform);
    const surfaces = await this.openSurfaces(platform, services);
    await this.#showKiosk(platform, services, surfaces);
    this.#options.print(`faceplate ready http://127.0.0.1:${platform.http.port}`);
  }

  /** The base of everything. HTTP listens first, so that a port in use is reported at once; it answers STARTING. */
  private async startPlatform() {
    const { version, log } = this.#options;
    const { settings, data, file } = this.#options.settings;
    const { dataDir } = settings;
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const http = await this.#up(
      new HttpServer({ host: settings['http.host'], port: settings['http.port'], log }),
    );
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
    const store = new SettingsStore(this.#options.settings, log);
    const bus = new EventBus(log);
    const session = await findKioskSession(settings);
    const kiosk = new Kiosk({ settings: store.now, port: http.port, log });
    this.#kiosk = kiosk;
    const masks = {
      'settings.change': (tree: unknown) => maskedSettings(tree),
    };
    const journal = await this.#up(
      new JournalService({ dataDir, clock: systemClock, date: Date.now, masks, log }),
    );
    const reset = await afterReset(dataDir);
    if (reset !== undefined) journal.note(reset.note as Noted);
    return { settings, dataDir, http, token, id, board, store, bus, session, kiosk, journal };
  }

  /** What the panel does. */
  private async startServices(platform: Platform) {
    const { version, log } = this.#options;
    const { settings, dataDir, http, token, board, store, bus, session, kiosk } = platform;
    const up = this.#up;
    const desktop = desktopOptions(session, { installDir: settings['apps.installDir'], dataDir, log });
    const drivers = createBoardDrivers(board, { log, desktop });
    const parts = await startParts(up, { dataDir, board, drivers, store, kiosk, bus, log });
    const certificates = await up(new CertificatesService({ probe: new TlsProbe(), dataDir, log }));
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
    const { sip } = createIntercom({
      settings,
      version,
      bus,
      log,
      stream,
      certificates,
      page: intercomPage,
      mediaDriver: media,
      onRing: () => parts.rtc.touched(),
    });
    this.#sip = sip;
    await up(sip);
    const projects = await up(new ProjectsService({ dataDir, screen: kiosk, log }));
    await kiosk.show(projects.active);
    const access = await up(
      new AccessService({
        owner: token,
        dataDir,
        clock: systemWallClock,
        panelUrl: () => panelUrl(http.port),
        onEnded: (holder) => http.endStreamsOf(holder),
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
    const kept = new SettingsBackup(this.#options.settings, store);
    const backup = await up(new BackupService({ dataDir, version, settings: kept, projects, log }));
    const { restart } = this.#options;
    const reset = new ResetService({ dataDir, panelName: () => store.now()['device.name'], restart, log });
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
          isFresh: () => this.#options.settings.file.layer.size === 0 && projects.active === null,
        },
        clock: systemClock,
        log,
      }),
    );
    const health = await up(
      new HealthService({
        driver: new Machine({ dataDir }),
        browserMemory: () => kiosk.browserMemory(),
        page: () => kiosk.pageSnapshot() ?? null,
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
      parts,
      certificates,
      stream,
      intercomPage,
      sip,
      projects,
      backup,
      reset,
      camera,
      access,
      https,
      settingsPage,
      health,
      metrics,
    };
  }

  /** The surfaces: callers over HTTP, the kiosk page and the settings page. */
  private async openSurfaces(
    { settings, http, id, board, store, bus, kiosk, journal }: Platform,
    {
      parts,
      certificates,
      stream,
      sip,
      projects,
      backup,
      reset,
      camera,
      access,
      https,
      settingsPage,
      health,
      metrics,
    }: Services,
  ) {
    const { version, log, logTail } = this.#options;
    const identity = () => ({
      name: store.now()['device.name'],
      id,
      address: reachableAddress(settings['http.host'], http.port),
    });
    const system = systemInfo({
      identity,
      version,
      board: board.name,
      parts,
      stream,
      camera,
      kiosk,
      https: () =>
        http.securePort === undefined ? null : { port: http.securePort, fingerprint: https.fingerprint },
    });
    const { snapshot } = system;
    const handlers = bindCommands({
      ...parts,
      stream,
      sip,
      projects,
      kiosk,
      live: new LiveScreen({ window: kiosk, clock: systemClock }),
      settings: store,
      backup,
      reset,
      certificates,
      access,
      settingsPage,
      display: new DisplayService(displayDrivers(board.name)),
      journal,
      health,
      metrics,
      panelFacts: (identity) =>
        panelFacts(
          {
            name: store.now()['device.name'],
            language: store.now()['device.language'],
            port: http.port,
            versions: { Faceplate: version, 'Node.js': process.versions.node },
          },
          access.startPairing(identity).url,
        ),
      info: system.info,
      logTail,
    });
    const dispatcher = new Dispatcher(handlers, log, {
      pageMay: (setting) => store.now()[setting],
      note: (call) => journal.note(call),
      count: (command, code) => metrics.counted(command, code),
    });
    const { dispatch } = dispatcher;
    const { addresses } = kiosk;
    await http.open({
      version,
      dispatch,
      bus,
      snapshot,
      pages: pageFolders(projects),
      guard: {
        panelName: hostname(),
        allowedHosts: () => store.now()['http.allowedHosts'],
        identify: (token, address) => access.identify(token, address),
        onRefused: (command, identity, address, failure) =>
          dispatcher.noteRefused(command, { surface: 'http', identity, address, origin: address }, failure),
        allowedOrigins: () => [addresses.activeOrigin, ...store.now()['http.allowedOrigins']],
        now: () => performance.now(),
      },
      drain: () => dispatcher.stop(),
    });
    await this.#openHttps(http, https, settings['https.port']);
    // It listened first, but is closed first too: its answers need everything that was started since.
    this.#started.push(http);
    const announcer = await this.#up(
      new PanelAnnouncer({
        announced: () => {
          const now = store.now();
          if (!now['http.announce']) return undefined;
          return {
            name: now['device.name'],
            host: now['http.host'],
            interfaceName: now['http.announceInterface'],
            port: http.port,
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
    return {
      announcer,
      isOem: system.isOem(),
      bridge: createBridge({ dispatch, bus, snapshot, log }),
      settingsSink: createSettingsChannel({
        dispatch,
        bus,
        snapshot,
        isUnlocked: () => settingsPage.isUnlocked,
      }),
    };
  }

  /** A port that is in use keeps HTTPS off: HTTP works on. */
  async #openHttps(http: HttpServer, https: HttpsService, port: number | 'off'): Promise<void> {
    const { log, print } = this.#options;
    if (https.identity === undefined || port === 'off') return;
    try {
      await http.openSecure(port, https.identity);
    } catch (error) {
      log.error({ err: error, port }, 'HTTPS stays off: its port cannot be opened');
      return;
    }
    https.onChanged((identity) => http.setIdentity(identity));
    print(`faceplate https ${http.securePort}`);
  }

  /** The window comes last: by now everything that it shows is ready. */
  async #showKiosk(
    { settings, http, store, session, bus, kiosk, journal }: Platform,
    { parts, certificates, intercomPage, projects, settingsPage }: Services,
    { isOem, bridge, settingsSink, announcer }: Surfaces,
  ): Promise<void> {
    const { version, log, print, createHost } = this.#options;
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
    this.#host = host;
    this.#started.push(host);
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

  /** Starts a part and remembers it for the stop; a stop that came meanwhile ends the start here. */
  readonly #up = async <T extends Stoppable & { start?(): Promise<unknown> }>(part: T): Promise<T> => {
    if (this.#stopping) throw new Error('stopped while starting');
    this.#started.push(part);
    await part.start?.();
    return part;
  };

  async #stop(): Promise<void> {
    // Remote parties of calls are notified first: a browser that is slow to end would use up the time.
    const goodbyes = this.#sip
      ?.stop()
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'the intercom did not stop'));
    // The stop does not wait for a browser that is slow to start.
    await this.#host?.stop();
    await goodbyes;
    await this.#starting?.catch(() => {});
    for (const part of this.#started.reverse()) {
      await part
        .stop()
        .catch((error: unknown) => this.#options.log.error({ err: error }, 'a part did not stop'));
    }
  }
}
