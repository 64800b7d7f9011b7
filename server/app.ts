import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { appFacts } from './appFacts.ts';
import { createBridge } from './bridge/bridge.ts';
import { IntercomChannel } from './bridge/intercomChannel.ts';
import { containerSpec } from './bridge/pageSurfaces.ts';
import { Dispatcher } from './commands/dispatch.ts';
import { bindCommands } from './commands/handlers.ts';
import { loadBoard } from './config/board.ts';
import type { LoadedSettings } from './config/loadSettings.ts';
import { SettingsStore } from './config/settingsStore.ts';
import { loadToken } from './config/token.ts';
import { desktopOptions } from './desktopOptions.ts';
import { createBoardDrivers } from './drivers/boardDrivers.ts';
import { boardRules } from './drivers/boardRules.ts';
import { SimulatedCamera } from './drivers/camera/simulatedCamera.ts';
import { TlsProbe } from './drivers/certificates/tlsProbe.ts';
import { displayDrivers } from './drivers/displayDrivers.ts';
import { nativeMedia } from './drivers/native/nativeMedia.ts';
import { ShellProcess } from './drivers/terminal/process.ts';
import { DatagramSocket } from './drivers/udp/datagramSocket.ts';
import type { HostDependencies, KioskHost } from './host/host.ts';
import { upkeepOf } from './host/upkeep.ts';
import { HttpServer } from './http/server.ts';
import { createIntercom, showIntercom } from './intercom.ts';
import { kioskAddresses } from './kioskAddresses.ts';
import { type KioskScreen, kioskScreen } from './kioskScreen.ts';
import { portableDriver } from './media/portableDriver.ts';
import { systemClock } from './observe/clock.ts';
import { EventBus } from './observe/eventBus.ts';
import type { Logger } from './observe/log.ts';
import { createSettingsPage } from './ownPages.ts';
import { AppsService } from './services/apps/service.ts';
import { CertificatesService } from './services/certificates/service.ts';
import { DisplayService } from './services/display/service.ts';
import { GpioService } from './services/gpio/service.ts';
import { KioskService } from './services/kiosk/service.ts';
import { LedService } from './services/led/service.ts';
import { PowerService } from './services/power/service.ts';
import { ProjectsService } from './services/projects/service.ts';
import { RtcService } from './services/rtc/service.ts';
import { SerialService } from './services/serial/service.ts';
import { panelFacts } from './services/settingsPage/panelFacts.ts';
import { StreamService } from './services/stream/service.ts';
import { TerminalService } from './services/terminal/service.ts';
import { UdpService } from './services/udp/service.ts';

export interface AppOptions {
  readonly settings: LoadedSettings;
  readonly version: string;
  readonly log: Logger;
  print(line: string): void;
  createHost(dependencies: HostDependencies): Promise<KioskHost>;
}

interface Stoppable {
  stop(): Promise<void>;
}

/**
 * The whole service: the one place that knows every part. `start` goes from top to bottom, each step awaited; `stop` goes
 * back up over what was started.
 */
export class App {
  readonly #options: AppOptions;
  readonly #started: Stoppable[] = [];
  #host: KioskHost | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: AppOptions) {
    this.#options = options;
  }

  /** @throws the reason why the service cannot run; what was started by then is stopped again. */
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

  /** False once nothing but a restart of the service can bring the kiosk page back. */
  isWell(): boolean {
    return this.#host?.isWell?.() ?? true;
  }

  /** Ends everything, also in the middle of a start. Calls in flight are answered or refused with SHUTTING_DOWN. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const { version, log, print, createHost } = this.#options;
    const { settings } = this.#options.settings;
    const dataDir = settings.dataDir;
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const token = loadToken(dataDir, settings.token);
    const board = await loadBoard(settings.board, boardRules(log));
    const drivers = createBoardDrivers(board, { log, desktop: await desktopOptions(settings, log) });
    log.info({ version, board: board.name, dataDir }, 'faceplate starts');

    const store = new SettingsStore(this.#options.settings, log);
    const bus = new EventBus(log);
    const terminal = await this.#up(
      new TerminalService({
        driver: new ShellProcess(),
        enabled: () => store.now()['terminal.enabled'],
        log,
      }),
    );
    const led = await this.#up(new LedService({ driver: drivers.led, dataDir, events: bus, log }));
    const gpio = await this.#up(
      new GpioService({ driver: drivers.gpio, labels: board.gpio?.labels, events: bus, log }),
    );
    const serial = await this.#up(new SerialService({ ports: drivers.serial, events: bus, log }));
    const udp = await this.#up(new UdpService({ driver: new DatagramSocket(log) }));
    const certificates = await this.#up(new CertificatesService({ probe: new TlsProbe(), dataDir, log }));
    const media = nativeMedia(portableDriver, log);
    const stream = await this.#up(
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
    const screen: KioskScreen = kioskScreen({
      host: () => this.#host,
      settings: store.now,
      addresses: () => addresses,
      onTouch: () => rtc.touched(),
      log,
    });
    const { display } = screen;
    const power: PowerService = await this.#up(
      new PowerService({ driver: drivers.power, sleepState: () => rtc.power().state, events: bus, log }),
    );
    const rtc: RtcService = await this.#up(
      new RtcService({ driver: drivers.rtc, dataDir, display, power, events: bus, log }),
    );
    const intercomPage = new IntercomChannel(systemClock, log);
    const sip = await this.#up(
      createIntercom({
        settings,
        version,
        bus,
        log,
        stream,
        certificates,
        page: intercomPage,
        mediaDriver: media,
        onRing: () => rtc.touched(),
      }).sip,
    );
    const onEnded = screen.bringToFront;
    const apps = await this.#up(new AppsService({ driver: drivers.apps, events: bus, log, onEnded }));
    const projects = await this.#up(new ProjectsService({ dataDir, screen: screen.projects, log }));
    const addresses = kioskAddresses({ settings: store.now, projects, port: () => http.port });
    const { originOf, home } = addresses;
    const kiosk = new KioskService({ window: () => this.#host, log });
    const camera = board.name === 'simulated' ? await this.#up(new SimulatedCamera()) : undefined;

    const facts = appFacts({
      version,
      board: board.name,
      terminal,
      led,
      gpio,
      serial,
      udp,
      stream,
      rtc,
      power,
      apps,
      camera,
      host: () => this.#host,
    });
    const { snapshot } = facts;
    const settingsPage = await this.#up(
      createSettingsPage({
        dataDir,
        heldPin: () => store.now()['kiosk.pin'],
        token,
        onRotated: () => http.endEventStreams(),
        host: () => this.#host,
        url: () => `${originOf('settings')}/`,
        dispatch: (...call) => dispatcher.dispatch(...call),
        log,
      }),
    );
    const handlers = bindCommands({
      terminal,
      led,
      gpio,
      serial,
      udp,
      stream,
      sip,
      rtc,
      power,
      apps,
      projects,
      kiosk,
      settings: store,
      certificates,
      settingsPage,
      display: new DisplayService(displayDrivers(board.name)),
      panelFacts: () => panelFacts(http.port, { Faceplate: version, 'Node.js': process.versions.node }),
      info: facts.info,
    });
    const dispatcher: Dispatcher = new Dispatcher(handlers, log, {
      pageMay: (setting) => store.now()[setting],
    });
    const { dispatch } = dispatcher;

    const http: HttpServer = await this.#up(
      new HttpServer({
        host: settings['http.host'],
        port: settings['http.port'],
        version,
        dispatch,
        bus,
        snapshot,
        pages: addresses.pages,
        guard: {
          panelName: hostname(),
          token,
          allowedOrigins: () => [addresses.activeOrigin(), ...store.now()['http.allowedOrigins']],
          now: () => performance.now(),
        },
        drain: () => dispatcher.stop(),
        log,
      }),
    );
    const spec = containerSpec({ version, isOem: facts.isOem(), aliases: settings['bridge.aliases'] });
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
      upkeep: upkeepOf(store.now),
      policy: addresses.policy,
      certificates,
      spec,
      log,
      print,
      onActivity: () => rtc.touched(),
      onBrowserBack,
      onSettingsCall: () => void settingsPage.open(),
    });
    this.#host = host;
    this.#started.push(host);
    store.onLive((changed) => {
      log.level = store.now()['log.level'];
      screen.follow(changed);
    });
    if (settings['sip.enabled']) await showIntercom(host, `${originOf('intercom')}/`, intercomPage.sink, log);
    await host.start(createBridge({ dispatch, bus, snapshot, log }), home());
    await projects.screenReady();
    print(`faceplate ready http://127.0.0.1:${http.port}`);
  }

  /** Starts a part and notes it for the way back; a stop that came meanwhile ends the start here. */
  async #up<T extends Stoppable & { start?(): Promise<unknown> }>(part: T): Promise<T> {
    if (this.#stopping) throw new Error('stopped while starting');
    this.#started.push(part);
    await part.start?.();
    return part;
  }

  async #stop(): Promise<void> {
    // A browser that is slow to start is not waited for.
    await this.#host?.stop();
    await this.#starting?.catch(() => {});
    for (const part of this.#started.reverse()) {
      await part
        .stop()
        .catch((error: unknown) => this.#options.log.error({ err: error }, 'a part did not stop'));
    }
  }
}
