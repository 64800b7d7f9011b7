import type { SettingsStore } from '../config/settingsStore.ts';
import type { HardwarePart } from '../contract/commands.ts';
import type { Snapshot } from '../contract/events.ts';
import type { PartInfo } from '../contract/system.ts';
import type { Kiosk } from '../kiosk/kiosk.ts';
import type { KioskSession } from '../kiosk/session.ts';
import type { Clock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import type { Holders } from '../platform/holders.ts';
import type { LocalTargets } from '../platform/localTargets.ts';
import type { Logger } from '../platform/log.ts';
import { AppsService } from './apps/service.ts';
import type { BoardProfile } from './boards/board.ts';
import type { BoardDrivers } from './boards/boardDrivers.ts';
import { outputRulesOf } from './boards/boardOutputs.ts';
import { pinsOf } from './boards/boardPinNumbers.ts';
import { displayDrivers } from './boards/displayDrivers.ts';
import { ButtonsService } from './buttons/service.ts';
import { ClimateService } from './climate/service.ts';
import { DisplayService } from './display/service.ts';
import { GpioService } from './gpio/service.ts';
import type { IdleSaver } from './idle/driver.ts';
import { IdleService } from './idle/service.ts';
import { LedService } from './led/service.ts';
import { ModbusService } from './modbus/service.ts';
import { TcpSockets } from './modbus/tcpSocket.ts';
import { NetworkService } from './network/service.ts';
import { PowerService } from './power/service.ts';
import { PowerState } from './powerState.ts';
import { ProximityService } from './proximity/service.ts';
import { ReadersService } from './readers/service.ts';
import { SerialService } from './serial/service.ts';
import { SleepService } from './sleep/service.ts';
import { EspeakVoice } from './sound/espeak.ts';
import type { SoundPlaces } from './sound/files.ts';
import { GstreamerDecoder } from './sound/gstreamer.ts';
import { SoundService } from './sound/service.ts';
import { ShellProcess } from './terminal/process.ts';
import { TerminalService } from './terminal/service.ts';
import { TimeService } from './time/service.ts';
import { DatagramSocket } from './udp/datagramSocket.ts';
import { UdpService } from './udp/service.ts';

interface PartNeeds {
  readonly dataDir: string;
  readonly board: BoardProfile;
  readonly drivers: BoardDrivers;
  readonly store: SettingsStore;
  readonly kiosk: Kiosk;
  readonly saver: IdleSaver;
  readonly session: KioskSession;
  readonly bus: EventBus;
  readonly holders: Holders;
  /** Ports of the panel's own servers. */
  ownPorts(): readonly number[];
  /** Where devices on the network may be. */
  readonly targets: LocalTargets;
  readonly soundPlaces: SoundPlaces;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Starts the parts of the panel's hardware and system, in this order. @param up starts one and notes it for the way back */
export async function startParts(
  up: <T extends { stop(): Promise<void> }>(part: T) => Promise<T>,
  {
    dataDir,
    board,
    drivers,
    store,
    kiosk,
    saver,
    session,
    bus: events,
    holders,
    ownPorts,
    targets,
    soundPlaces,
    clock,
    log,
  }: PartNeeds,
) {
  // Before all else: what an earlier run left on is switched off.
  const gpio = await up(
    new GpioService({
      driver: drivers.gpio,
      pins: board.gpio && pinsOf(board.gpio),
      rules: board.gpio && outputRulesOf(board.gpio),
      dataDir,
      events,
      log,
    }),
  );
  const state = new PowerState(events);
  const terminal = await up(
    new TerminalService({ driver: new ShellProcess(), enabled: () => store.now()['terminal.enabled'], log }),
  );
  const led = await up(new LedService({ driver: drivers.led, dataDir, events, log }));
  const climate = await up(new ClimateService({ driver: drivers.climate, clock, events, log }));
  const serial = await up(new SerialService({ ports: drivers.serial, events, log }));
  const udp = await up(
    new UdpService({ driver: new DatagramSocket(log), events, holders, ownPorts, clock, log }),
  );
  const modbus = await up(
    new ModbusService({
      serial,
      network: new TcpSockets(),
      targets,
    }),
  );
  const power = await up(new PowerService({ driver: drivers.power, state, log }));
  const display: DisplayService = await up(
    new DisplayService({
      ...displayDrivers(board.name, session.sway),
      window: kiosk,
      switchTo: (on) => idle.switchTo(on),
      dataDir,
      events,
      log,
    }),
  );
  const idle: IdleService = await up(
    new IdleService({
      settings: () => {
        const now = store.now();
        return {
          dimAfter: now['idle.dimAfter'],
          dimTo: now['idle.dimTo'],
          saverAfter: now['idle.saverAfter'],
          saver: now['idle.saver'],
          offAfter: now['idle.offAfter'],
          homeAfter: now['idle.homeAfter'],
          clearAtHome: now['idle.clearAtHome'],
          wakePins: now['idle.wakePins'],
        };
      },
      screen: display,
      saver,
      page: kiosk,
      schedule: () => rtc,
      events,
      log,
    }),
  );
  const rtc: SleepService = await up(
    new SleepService({ driver: drivers.rtc, dataDir, display: idle, power, state, events, log }),
  );
  const activity = () => idle.activity();
  const buttons = await up(new ButtonsService({ driver: drivers.buttons, activity, clock, events, log }));
  const readers = await up(new ReadersService({ readers: drivers.readers, activity, clock, events, log }));
  const proximity = await up(new ProximityService({ driver: drivers.proximity, activity, clock, log }));
  const onEnded = () => kiosk.bringToFront();
  const apps = await up(new AppsService({ driver: drivers.apps, events, log, onEnded }));
  const network = await up(new NetworkService({ driver: drivers.network, log }));
  const time = await up(new TimeService({ driver: drivers.time, log }));
  const sound = await up(
    new SoundService({
      driver: drivers.sound,
      decoder: new GstreamerDecoder(session),
      voice: new EspeakVoice(),
      places: soundPlaces,
      language: () => store.now()['device.language'],
      events,
      log,
    }),
  );
  return {
    terminal,
    led,
    gpio,
    climate,
    buttons,
    readers,
    proximity,
    serial,
    udp,
    modbus,
    display,
    idle,
    rtc,
    power,
    apps,
    network,
    time,
    sound,
  };
}

/** The parts that are up. */
export type Parts = Awaited<ReturnType<typeof startParts>>;

/** What one part reports about itself. */
interface PartFacts<P extends HardwarePart> {
  /** Its lines in `info`, by name: most parts have one, with their own name. */
  info(): Readonly<Record<string, PartInfo>>;
  /** Its state for the first event of a new listener; null for a part that never changes. */
  readonly snapshot: P extends keyof Snapshot ? () => Snapshot[P] : null;
}

/** One row for each part of the contract: a part without its row does not compile. */
type PartsFacts = { readonly [P in HardwarePart]: PartFacts<P> };

/** The reports of all parts; collected again on every call. */
export function partsFacts(parts: Parts): PartsFacts {
  const { terminal, led, gpio, serial, udp, rtc, power, apps } = parts;
  return {
    terminal: { info: () => ({ terminal: terminal.part() }), snapshot: null },
    led: { info: () => ({ led: led.part() }), snapshot: () => led.snapshot() },
    gpio: { info: () => ({ gpio: gpio.part() }), snapshot: () => gpio.snapshot() },
    climate: { info: () => ({ climate: parts.climate.part() }), snapshot: () => parts.climate.snapshot() },
    buttons: { info: () => ({ buttons: parts.buttons.part() }), snapshot: null },
    readers: { info: () => parts.readers.parts(), snapshot: null },
    proximity: { info: () => ({ proximity: parts.proximity.part() }), snapshot: null },
    udp: { info: () => ({ udp: udp.part() }), snapshot: null },
    serial: { info: () => serial.parts(), snapshot: () => serial.snapshot() },
    rtc: { info: () => ({ rtc: rtc.part() }), snapshot: () => rtc.snapshot() },
    power: { info: () => ({ power: power.part() }), snapshot: () => power.snapshot() },
    network: { info: () => ({ network: parts.network.part() }), snapshot: null },
    time: { info: () => ({ time: parts.time.part() }), snapshot: null },
    sound: { info: () => ({ sound: parts.sound.part() }), snapshot: null },
    apps: { info: () => ({ apps: apps.part() }), snapshot: () => apps.snapshot() },
  };
}
