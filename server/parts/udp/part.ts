import { openPortSocket } from '../../platform/native/burstSocket.ts';
import { definePart } from '../part.ts';
import { udpCommands } from './contract.ts';
import { DatagramSocket, UdpService } from './service.ts';

/** Datagrams from and to devices on the network. */
export const udp = definePart(
  'udp',
  ({ events, holders, ownPorts, clock, log }) =>
    new UdpService({
      driver: new DatagramSocket(log, undefined, openPortSocket),
      events,
      holders,
      ownPorts: ownPorts.now,
      clock,
      log,
    }),
).answering(udpCommands);
