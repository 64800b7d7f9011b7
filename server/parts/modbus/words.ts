import type { WordsFor } from '../../contract/device.ts';
import type { modbusCommands } from './contract.ts';

/** What its commands do. */
export const modbusCommandWords = {
  'modbus.read': ['Read a Modbus device', 'Ein Modbus-Gerät lesen', 'Leer un dispositivo Modbus'],
  'modbus.write': ['Change a Modbus device', 'Ein Modbus-Gerät verstellen', 'Cambiar un dispositivo Modbus'],
} satisfies WordsFor<keyof typeof modbusCommands>;
