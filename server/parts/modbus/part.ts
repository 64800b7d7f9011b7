import { type Core, definePart } from '../part.ts';
import type { SerialService } from '../serial/service.ts';
import { modbusCommands } from './contract.ts';
import { ModbusService } from './service.ts';
import { TcpSockets } from './tcpMaster.ts';

/** Modbus, over TCP and over a serial line. */
export const modbus = definePart(
  'modbus',
  ({ serial, targets }: Core & { readonly serial: SerialService }) =>
    new ModbusService({ serial, network: new TcpSockets(), targets }),
).answering(modbusCommands);
