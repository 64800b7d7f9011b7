import type { SysFolders } from './sysFolders.ts';

/** A sensor of the kernel: of the industrial I/O layer, or of its monitoring of hardware. */
export interface SensorFacts {
  readonly folder: string;
  readonly driver: 'iio' | 'hwmon';
  /** As its driver calls it, such as `sht3x`. */
  readonly name: string;
  readonly measures: readonly Measure[];
}

export type Measure = 'temperature' | 'humidity' | 'light' | 'proximity';

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
export function findSensors(folders: SysFolders): SensorFacts[] {
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
