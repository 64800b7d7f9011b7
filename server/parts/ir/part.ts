import { type Core, definePart } from '../part.ts';
import { irCommands } from './contract.ts';
import { Itach } from './itach.ts';
import { IrService } from './service.ts';

/** Infrared: senders and receivers. */
export const ir = definePart(
  'ir',
  ({ drivers, clock, events, log }: Core) => new IrService({ ports: drivers.ir, clock, events, log }),
)
  .answering(irCommands)
  .reporting({ info: (service) => service.parts() })
  .showing((service) => ({ ir: service.ports() }));

/** The senders for programs that know an iTach; nothing while the setting is off. */
export const itach = definePart(
  'itach',
  ({ loaded, version, ir: service, ownPorts, print, log }: Core & { readonly ir: IrService }) => {
    const port = loaded.settings['ir.itachPort'];
    if (port === 'off') return {};
    const server = new Itach({
      port,
      ir: service,
      version,
      onListening: (found) => print(`faceplate itach ${found}`),
      log,
    });
    ownPorts.claim(() => (server.port === undefined ? [] : [server.port]));
    return server;
  },
);
