import { systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { systemDeviceIo, systemEventIo } from '../../platform/native/ioctl.ts';
import { DesktopApps, type DesktopAppsOptions } from '../apps/desktop/desktop.ts';
import type { AppsDriver } from '../apps/driver.ts';
import { SimulatedApps } from '../apps/simulated.ts';
import type { ButtonsDriver } from '../buttons/driver.ts';
import { EvdevButtons } from '../buttons/evdevButtons.ts';
import { EvdevReader } from '../buttons/evdevReader.ts';
import { SimulatedButtons, SimulatedReader } from '../buttons/simulated.ts';
import type { ClimateDriver } from '../climate/driver.ts';
import { HwmonClimate } from '../climate/hwmon.ts';
import { IioClimate } from '../climate/iio.ts';
import { SimulatedClimate } from '../climate/simulated.ts';
import type { GpioDriver } from '../gpio/driver.ts';
import { GpioChip } from '../gpio/gpioChip.ts';
import { GpioControl } from '../gpio/gpioControl.ts';
import { restLevelsOf } from '../gpio/profileOutputs.ts';
import { pinsOf } from '../gpio/profilePins.ts';
import { SimulatedGpio } from '../gpio/simulated.ts';
import type { LedDriver } from '../led/driver.ts';
import { LedJni } from '../led/ledjni.ts';
import { SimulatedLed } from '../led/simulated.ts';
import { SysfsLed } from '../led/sysfs.ts';
import type { NetworkDriver } from '../network/driver.ts';
import { NetworkManager } from '../network/networkManager.ts';
import { SimulatedNetwork } from '../network/simulated.ts';
import type { PowerDriver } from '../power/driver.ts';
import { Logind } from '../power/logind.ts';
import { SimulatedPower } from '../power/simulated.ts';
import type { ProximityDriver } from '../proximity/driver.ts';
import { IioProximity } from '../proximity/iio.ts';
import { SimulatedProximity } from '../proximity/simulated.ts';
import type { ReaderDriver } from '../readers/driver.ts';
import type { SerialDriver } from '../serial/driver.ts';
import { enableRs485 } from '../serial/rs485.ts';
import { SimulatedSerial } from '../serial/simulated.ts';
import { Tty } from '../serial/tty.ts';
import type { RtcDriver } from '../sleep/driver.ts';
import { SimulatedRtc } from '../sleep/simulated.ts';
import { Wakealarm } from '../sleep/wakealarm.ts';
import { AlsaSound } from '../sound/alsa.ts';
import type { SoundDriver } from '../sound/driver.ts';
import { SimulatedSound } from '../sound/simulated.ts';
import type { TimeDriver } from '../time/driver.ts';
import { SimulatedTime } from '../time/simulated.ts';
import { Timedated } from '../time/timedated.ts';
import type { BoardPart, BoardProfile } from './board.ts';

/** The drivers of a board; null for a part that its profile leaves out. A part without a row does not compile. */
export interface BoardDrivers extends Readonly<Record<BoardPart, unknown>> {
  readonly gpio: GpioDriver | null;
  readonly led: LedDriver | null;
  readonly climate: ClimateDriver | null;
  readonly buttons: ButtonsDriver | null;
  readonly proximity: ProximityDriver | null;
  readonly readers: readonly { readonly name: string; readonly driver: ReaderDriver }[];
  readonly serial: readonly {
    readonly port: string;
    readonly driver: SerialDriver;
    /** What the profile says about the line. */
    readonly line: BoardProfile['serial'][number];
  }[];
  readonly rtc: RtcDriver | null;
  readonly power: PowerDriver | null;
  readonly apps: AppsDriver | null;
  readonly network: NetworkDriver;
  readonly time: TimeDriver;
  readonly sound: SoundDriver;
}

interface BoardDriverOptions {
  readonly log: Logger;
  /** For the driver `desktop`: whose packages, and where package files may lie. */
  readonly desktop: Omit<DesktopAppsOptions, 'log'>;
}

/** Makes the driver of each part that the profile names. Nothing is opened yet. */
export function createBoardDrivers(
  profile: BoardProfile,
  { log, desktop }: BoardDriverOptions,
): BoardDrivers {
  return {
    gpio: profile.gpio ? gpioDriver(profile.gpio, log) : null,
    led: profile.led ? ledDriver(profile.led) : null,
    climate: profile.climate ? climateDriver(profile.climate) : null,
    proximity: profile.proximity ? proximityDriver(profile.proximity) : null,
    buttons: profile.buttons ? buttonsDriver(profile.buttons, log) : null,
    readers: (profile.readers ?? []).map((part) => ({ name: part.name, driver: readerDriver(part, log) })),
    serial: profile.serial.map((part) => ({ port: part.port, driver: serialDriver(part, log), line: part })),
    rtc: profile.rtc ? rtcDriver(profile.rtc) : null,
    power: profile.power ? powerDriver(profile.power) : null,
    apps: profile.apps ? appsDriver(profile.apps, { ...desktop, log }) : null,
    network: profile.network?.driver === 'simulated' ? new SimulatedNetwork() : new NetworkManager(),
    time: profile.time?.driver === 'simulated' ? new SimulatedTime() : new Timedated(),
    sound:
      profile.sound?.driver === 'simulated'
        ? new SimulatedSound(new AlsaSound(), systemClock)
        : new AlsaSound(),
  };
}

function gpioDriver(part: NonNullable<BoardProfile['gpio']>, log: Logger): GpioDriver {
  const safeLevels = restLevelsOf(part);
  const pins = pinsOf(part);
  switch (part.driver) {
    case 'simulated':
      return new SimulatedGpio(safeLevels, pins.length);
    case 'gpio_control':
      return new GpioControl({
        path: part.path,
        inputs: pins.flatMap(({ kind }, pin) => (kind === 'io' ? [pin] : [])),
        safeLevels,
        io: systemDeviceIo,
        clock: systemClock,
        log,
      });
    case 'gpiochip': {
      const lines = part.lines.map((line, pin) => ({ ...line, safeLevel: safeLevels[pin] }));
      const { path, debounceMs } = part;
      return new GpioChip({ path, lines, debounceMs, io: systemEventIo, clock: systemClock, log });
    }
  }
}

function ledDriver(part: NonNullable<BoardProfile['led']>): LedDriver {
  switch (part.driver) {
    case 'simulated':
      return new SimulatedLed();
    case 'ledjni':
      return new LedJni({ path: part.path, scale: part.scale, io: systemDeviceIo });
    case 'sysfs':
      return new SysfsLed(part.path);
  }
}

function climateDriver(part: NonNullable<BoardProfile['climate']>): ClimateDriver {
  switch (part.driver) {
    case 'simulated':
      return new SimulatedClimate();
    case 'iio':
      return new IioClimate(part.path);
    case 'hwmon':
      return new HwmonClimate(part.path);
  }
}

function proximityDriver(part: NonNullable<BoardProfile['proximity']>): ProximityDriver {
  switch (part.driver) {
    case 'simulated':
      return new SimulatedProximity();
    case 'iio':
      return new IioProximity(part);
  }
}

function buttonsDriver(part: NonNullable<BoardProfile['buttons']>, log: Logger): ButtonsDriver {
  switch (part.driver) {
    case 'simulated':
      return new SimulatedButtons();
    case 'evdev':
      return new EvdevButtons({ ...part, io: systemEventIo, clock: systemClock, log });
  }
}

function readerDriver(part: NonNullable<BoardProfile['readers']>[number], log: Logger): ReaderDriver {
  switch (part.driver) {
    case 'simulated':
      return new SimulatedReader();
    case 'evdev':
      return new EvdevReader({ path: part.path, io: systemEventIo, clock: systemClock, log });
  }
}

function serialDriver(part: BoardProfile['serial'][number], log: Logger): SerialDriver {
  switch (part.driver) {
    case 'tty':
      return new Tty(
        part.path,
        (fd) => {
          if (part.rs485) switchRs485(fd, part.path, log);
        },
        systemDeviceIo,
      );
    case 'simulated':
      return new SimulatedSerial();
  }
}

/** A driver that cannot switch the line is not a failure: many RS-485 transceivers switch on their own. */
function switchRs485(fd: number, path: string, log: Logger): void {
  const refused = enableRs485(systemDeviceIo, fd);
  if (refused !== null) log.warn({ path, reason: refused }, 'the uart does not switch the RS-485 line');
}

function rtcDriver(part: NonNullable<BoardProfile['rtc']>): RtcDriver {
  switch (part.driver) {
    case 'simulated':
      return new SimulatedRtc();
    case 'wakealarm':
      return new Wakealarm(part.path);
  }
}

function powerDriver(part: NonNullable<BoardProfile['power']>): PowerDriver {
  switch (part.driver) {
    case 'simulated':
      return new SimulatedPower();
    case 'logind':
      return new Logind();
  }
}

function appsDriver(part: NonNullable<BoardProfile['apps']>, options: DesktopAppsOptions): AppsDriver {
  switch (part.driver) {
    case 'simulated':
      return new SimulatedApps(options);
    case 'desktop':
      return new DesktopApps(options);
  }
}
