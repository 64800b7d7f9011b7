import { constants } from 'node:fs';
import * as uapi from '../../parts/gpio/gpioChipUapi.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import { findInputs, type InputFacts } from './inputs.ts';
import { SysFolders } from './sysFolders.ts';

/** An LED of the kernel. */
export interface LedFacts {
  readonly folder: string;
  readonly name: string;
  /** Of a multicolour LED: its components; else null. */
  readonly colours: readonly string[] | null;
  readonly maxBrightness: number | null;
}

interface BacklightFacts {
  readonly folder: string;
  readonly name: string;
  readonly maxBrightness: number | null;
}

/** A serial port with a uart behind it. */
export interface SerialFacts {
  readonly node: string;
  /** A name that stays the same wherever it is plugged in; null: none. */
  readonly stable: string | null;
  readonly driver: string | null;
  /** The kernel prints there, and usually somebody can log in. */
  readonly isConsole: boolean;
  /** The device tree says that it is wired to an RS-485 transceiver. */
  readonly isRs485: boolean;
}

/** A real-time clock. */
interface RtcFacts {
  readonly folder: string;
  readonly name: string;
  /** It can wake the machine. */
  readonly wakes: boolean;
  /** The system takes its time from it. */
  readonly isSystemClock: boolean;
}

interface SoundCardFacts {
  readonly id: string;
  readonly plays: boolean;
  readonly records: boolean;
}

/** What this machine has, as its kernel tells. */
export interface MachineFacts {
  /** Its name in the device tree or in the firmware; null: it has none. */
  readonly model: string | null;
  /** The nodes of the vendor's panels that are there. */
  readonly vendorNodes: readonly string[];
  readonly gpioChips: readonly ChipFacts[];
  readonly leds: readonly LedFacts[];
  readonly backlights: readonly BacklightFacts[];
  readonly serialPorts: readonly SerialFacts[];
  readonly rtcs: readonly RtcFacts[];
  readonly soundCards: readonly SoundCardFacts[];
  readonly sensors: readonly SensorFacts[];
  readonly inputs: readonly InputFacts[];
  /** One sentence for each thing that could not be read. */
  readonly unread: readonly string[];
}

const VENDOR_NODES = ['/dev/gpio_control', '/dev/ledjni'];

/** Names of serial ports with a uart; pseudo terminals and the virtual consoles are none. */
const SERIAL_NAME = /^tty[A-Z][A-Za-z]*\d+$/;

/** Looks at the machine without changing anything. */
export function machineFacts(io: DeviceIo, root = ''): MachineFacts {
  const folders = new SysFolders(root);
  return {
    model: modelOf(folders),
    vendorNodes: VENDOR_NODES.filter((path) => folders.has(path)),
    gpioChips: findGpioChips(folders, io),
    leds: findLeds(folders),
    backlights: folders.list('/sys/class/backlight').map((name) => {
      const folder = `/sys/class/backlight/${name}`;
      return { folder, name, maxBrightness: numberOf(folders.text(`${folder}/max_brightness`)) };
    }),
    serialPorts: findSerialPorts(folders),
    rtcs: findRtcs(folders),
    soundCards: findSoundCards(folders),
    sensors: findSensors(folders),
    inputs: findInputs(folders),
    unread: folders.unread,
  };
}

function modelOf(folders: SysFolders): string | null {
  const inTree = folders.text('/sys/firmware/devicetree/base/model');
  if (inTree) return inTree;
  const inFirmware = ['sys_vendor', 'product_name'].map((name) => folders.text(`/sys/class/dmi/id/${name}`));
  return inFirmware.filter((text) => text).join(' ') || null;
}

function findLeds(folders: SysFolders): LedFacts[] {
  return folders.list('/sys/class/leds').map((name) => {
    const folder = `/sys/class/leds/${name}`;
    const colours = folders.text(`${folder}/multi_index`);
    return {
      folder,
      name,
      colours: colours === undefined ? null : colours.split(/\s+/),
      maxBrightness: numberOf(folders.text(`${folder}/max_brightness`)),
    };
  });
}

function findSerialPorts(folders: SysFolders): SerialFacts[] {
  const stable = folders.links('/dev/serial/by-id');
  const consoles = (folders.text('/sys/class/tty/console/active') ?? '').split(/\s+/);
  return folders
    .list('/sys/class/tty')
    .filter((name) => SERIAL_NAME.test(name))
    .flatMap((name) => {
      const folder = `/sys/class/tty/${name}`;
      const node = `/dev/${name}`;
      // Type 0 is a port without a uart, of which a PC has many.
      if (folders.text(`${folder}/type`) === '0' || !folders.has(node)) return [];
      return [
        {
          node,
          stable: stable.get(node) ?? null,
          driver: folders.target(`${folder}/device/driver`) ?? null,
          isConsole: consoles.includes(name),
          isRs485: folders.has(`${folder}/device/of_node/linux,rs485-enabled-at-boot-time`),
        },
      ];
    });
}

function findRtcs(folders: SysFolders): RtcFacts[] {
  return folders
    .list('/sys/class/rtc')
    .filter((name) => /^rtc\d+$/.test(name))
    .map((rtc) => {
      const folder = `/sys/class/rtc/${rtc}`;
      return {
        folder,
        name: folders.text(`${folder}/name`) ?? '',
        wakes: folders.has(`${folder}/wakealarm`),
        isSystemClock: folders.text(`${folder}/hctosys`) === '1',
      };
    });
}

function findSoundCards(folders: SysFolders): SoundCardFacts[] {
  const names = folders.list('/sys/class/sound');
  return names
    .filter((name) => /^card\d+$/.test(name))
    .map((card) => {
      const streams = names.filter((name) => name.startsWith(`pcmC${card.slice('card'.length)}D`));
      return {
        id: folders.text(`/sys/class/sound/${card}/id`) ?? card,
        plays: streams.some((name) => name.endsWith('p')),
        records: streams.some((name) => name.endsWith('c')),
      };
    });
}

function numberOf(text: string | undefined): number | null {
  return text === undefined || !/^\d+$/.test(text) ? null : Number(text);
}

/** A line of a GPIO chip. */
interface ChipLine {
  readonly offset: number;
  /** Empty where the board gives it none. */
  readonly name: string;
  /** The program that uses it; null: none. */
  readonly holder: string | null;
  readonly direction: 'input' | 'output';
}

/** A GPIO chip of the kernel. */
export interface ChipFacts {
  readonly path: string;
  /** Its name as the kernel's driver gives it, such as `pinctrl-bcm2711`. */
  readonly label: string;
  readonly lines: readonly ChipLine[];
}

/** Every GPIO chip that may be read. No line is requested: nothing on the wires changes. */
function findGpioChips(folders: SysFolders, io: DeviceIo): ChipFacts[] {
  const nodes = folders.list('/dev').filter((name) => /^gpiochip\d+$/.test(name));
  return nodes.flatMap((node) => {
    const path = `/dev/${node}`;
    try {
      return [readChip(io, path)];
    } catch (error) {
      folders.failed(path, error);
      return [];
    }
  });
}

function readChip(io: DeviceIo, path: string): ChipFacts {
  const chip = io.open(path, constants.O_RDONLY);
  try {
    const info = Buffer.alloc(uapi.SIZE.chipInfo);
    io.ioctlPointer(chip, uapi.GPIO_GET_CHIPINFO, info);
    const lines = Array.from({ length: uapi.chipLines(info) }, (_, offset): ChipLine => {
      const line = uapi.lineInfo(offset);
      io.ioctlPointer(chip, uapi.GPIO_V2_GET_LINEINFO, line);
      return { offset, name: uapi.lineName(line), ...uapi.lineUse(line) };
    });
    return { path, label: uapi.chipLabel(info), lines };
  } finally {
    io.close(chip);
  }
}

/** A sensor of the kernel: of the industrial I/O layer, or of its monitoring of hardware. */
interface SensorFacts {
  readonly folder: string;
  readonly driver: 'iio' | 'hwmon';
  /** As its driver calls it, such as `sht3x`. */
  readonly name: string;
  readonly measures: readonly Measure[];
}

type Measure = 'temperature' | 'humidity' | 'light' | 'proximity';

/** Which attribute tells of which measure: Documentation/ABI/testing/sysfs-bus-iio and hwmon/sysfs-interface.rst. */
const ATTRIBUTES = {
  iio: [
    ['temperature', /^in_temp\d*(?:_ambient)?_(?:input|raw)$/],
    ['humidity', /^in_humidityrelative\d*_(?:input|raw)$/],
    ['light', /^in_illuminance\d*_(?:input|raw)$/],
    ['proximity', /^in_proximity\d*_(?:input|raw)$/],
  ],
  hwmon: [
    ['temperature', /^temp\d+_input$/],
    ['humidity', /^humidity\d+_input$/],
  ],
} as const;

/** Sensors that measure one of these; others are left out. */
function findSensors(folders: SysFolders): SensorFacts[] {
  return [
    ...folders
      .list('/sys/bus/iio/devices')
      .filter((name) => name.startsWith('iio:device'))
      .map((name) => sensorAt(folders, 'iio', `/sys/bus/iio/devices/${name}`)),
    ...folders.list('/sys/class/hwmon').map((name) => sensorAt(folders, 'hwmon', `/sys/class/hwmon/${name}`)),
  ].filter(({ measures }) => measures.length > 0);
}

function sensorAt(folders: SysFolders, driver: 'iio' | 'hwmon', folder: string): SensorFacts {
  const attributes = folders.list(folder);
  const measures = ATTRIBUTES[driver].flatMap(([measure, pattern]) =>
    attributes.some((attribute) => pattern.test(attribute)) ? [measure] : [],
  );
  return { folder, driver, name: folders.text(`${folder}/name`) ?? '', measures };
}
