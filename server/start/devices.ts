import type { Settings } from '../config/settings.ts';
import type { CertificatesService } from '../parts/certificates/service.ts';
import { DeviceRequest } from '../parts/http/deviceRequest.ts';
import { HttpRequestService } from '../parts/http/service.ts';
import { TcpService } from '../parts/tcp/service.ts';
import { SocketLinks } from '../parts/tcp/socketLinks.ts';
import { systemClock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import type { LocalTargets } from '../platform/localTargets.ts';
import type { ResourceScopes } from '../platform/resourceScopes.ts';
import type { Launch } from './launch.ts';

const MDNS_PORT = 5353;

interface DevicesNeeds {
  readonly targets: LocalTargets;
  readonly certificates: CertificatesService;
  readonly bus: EventBus;
  readonly holders: ResourceScopes;
}

/** The ways to devices on the network that keep a connection or an answer; single datagrams are a part. */
export async function startDevices(up: Launch['up'], { targets, certificates, bus, holders }: DevicesNeeds) {
  const tcp = await up(
    new TcpService({
      driver: new SocketLinks(certificates),
      targets,
      events: bus,
      holders,
      clock: systemClock,
    }),
  );
  const httpRequest = new HttpRequestService({
    driver: new DeviceRequest(certificates),
    targets,
    clock: systemClock,
  });
  return { tcp, httpRequest };
}

/**
 * Ports of the panel's own servers: no page and no caller connects to them as to a device.
 * @param sip of the intercom, 0 while it is off
 */
export function ownPortsOf(settings: Settings, web: readonly number[], sip = 0): readonly number[] {
  const debug = settings['kiosk.debugPort'];
  // SIP over TLS listens on the port after.
  return [...web, MDNS_PORT, ...(sip > 0 ? [sip, sip + 1] : []), ...(debug === 'off' ? [] : [debug])];
}
