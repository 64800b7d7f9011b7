import type { CertificatesService } from '../certificates/service.ts';
import { type Core, definePart } from '../part.ts';
import { tcpCommands } from './contract.ts';
import { TcpService } from './service.ts';
import { SocketLinks } from './socketLinks.ts';

/** Connections to devices on the network. */
export const tcp = definePart(
  'tcp',
  ({
    certificates,
    targets,
    events,
    holders,
    clock,
  }: Core & { readonly certificates: CertificatesService }) =>
    new TcpService({ driver: new SocketLinks(certificates), targets, events, holders, clock }),
).answering(tcpCommands);
