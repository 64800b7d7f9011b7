import { hostname, networkInterfaces } from 'node:os';
import { CallMediaFactory } from './callMedia/factory.ts';
import type { Settings } from './config/settings.ts';
import { MdnsDiscovery } from './drivers/discovery/mdnsDiscovery.ts';
import { HttpDoor } from './drivers/door/httpDoor.ts';
import type { BridgeSink, KioskHost } from './host/host.ts';
import { intercomCertificate } from './intercomCertificate.ts';
import type { MediaDriver } from './media/driver.ts';
import { systemClock } from './observe/clock.ts';
import type { EventBus } from './observe/eventBus.ts';
import type { Logger } from './observe/log.ts';
import { CallerPolicy, isOnLink, type OwnNetwork } from './services/sip/callerPolicy.ts';
import { Doors } from './services/sip/doors.ts';
import type { CameraPreview, IntercomPage } from './services/sip/driver.ts';
import { PanelList } from './services/sip/panelList.ts';
import { type Intercom, SipService } from './services/sip/service.ts';
import type { StreamService } from './services/stream/service.ts';
import { SipAgent } from './sip/agent.ts';
import type { TlsTrust } from './sip/transport/tlsTrust.ts';

interface IntercomNeeds {
  readonly settings: Settings;
  readonly version: string;
  readonly bus: EventBus;
  readonly log: Logger;
  /** Plays the cameras of doors. */
  readonly stream: Pick<StreamService, 'open' | 'close'>;
  /** Decides about far ends whose certificate the system does not trust. */
  readonly certificates: TlsTrust;
  /** Has microphone, camera and speaker. */
  readonly page: IntercomPage;
  /** The system's help with many packets; without it Node's own way. */
  readonly mediaDriver?: MediaDriver;
  /** Somebody calls. */
  readonly onRing: () => void;
  /** UDP port of mDNS other than 5353, for tests. */
  readonly mdnsPort?: number;
}

/**
 * Puts the intercom together as the settings say; while `sip.enabled` is off it holds nothing.
 * @returns the service, and the port it listens on once it has started
 */
export function createIntercom(needs: IntercomNeeds): { readonly sip: SipService; port(): number } {
  const { settings, bus, log } = needs;
  const deviceName = settings['sip.deviceName'] || hostname();
  const intercom = settings['sip.enabled'] ? partsOf(needs, deviceName) : null;
  const sip = new SipService({
    intercom,
    deviceName,
    autoAnswer: settings['sip.autoAnswer'],
    doors: settings['sip.doors'],
    dataDir: settings.dataDir,
    events: bus,
    onRing: needs.onRing,
    clock: systemClock,
    log,
  });
  return { sip, port: () => intercom?.port() ?? 0 };
}

/** Opens the page that has microphone, camera and speaker; without a browser calls have no sound. */
export async function showIntercom(
  host: KioskHost,
  url: string,
  sink: BridgeSink,
  log: Logger,
): Promise<void> {
  try {
    await host.openOwn({ name: 'intercom', url, visible: false, media: true, sink });
  } catch (error) {
    log.warn({ err: error }, 'the intercom has no page: calls have no sound');
  }
}

function partsOf(
  { settings, version, log, stream, certificates, page, mediaDriver, mdnsPort }: IntercomNeeds,
  deviceName: string,
): Intercom {
  const panels = new PanelList();
  const policy = new CallerPolicy({
    allow: settings['sip.allow'],
    allowLan: settings['sip.allowLan'],
    doors: Doors.addresses(settings['sip.doors']),
    networks: ownNetworks,
    panels: () => panels.hosts(),
  });
  const isTls = settings['sip.transport'] === 'tls';
  const signalling = new SipAgent({
    host: settings['sip.host'] || '0.0.0.0',
    port: settings['sip.port'],
    username: settings['sip.username'],
    deviceName,
    version,
    registrar: settings['sip.registrar'],
    password: settings['sip.password'],
    transport: settings['sip.transport'],
    registrarAccounts: settings['sip.registrarServer'] ? settings['sip.registrarAccounts'] : undefined,
    mayCall: (address) => policy.mayCall(address),
    trust: certificates,
    identity: isTls
      ? () => intercomCertificate({ dataDir: settings.dataDir, name: deviceName, log })
      : undefined,
    clock: systemClock,
    log,
  });
  const discovery = new MdnsDiscovery({
    interfaceAddress: settings['sip.discoveryInterface'],
    isOnLink: (address) => isOnLink(address, ownNetworks()),
    ping: (host, port) => signalling.ping(host, port),
    tlsPort: () => signalling.tlsPort,
    // With a registrar only its calls go by `sip.transport`.
    callsOverTls: isTls && settings['sip.registrar'] === '',
    clock: systemClock,
    log,
    ...(mdnsPort !== undefined && { port: mdnsPort }),
  });
  return {
    signalling,
    media: new CallMediaFactory({ page, log, ...(mediaDriver && { driver: mediaDriver }) }),
    page,
    discovery: settings['sip.discovery'] ? discovery : null,
    relay: new HttpDoor(),
    preview: previewOver(stream),
    policy,
    panels,
    port: () => signalling.port,
  };
}

/** A door's camera is one more stream session. */
function previewOver(stream: IntercomNeeds['stream']): CameraPreview {
  const id = 'intercom.preview';
  let isOpen = false;
  return {
    open: async (url, sdp) => {
      isOpen = true;
      return (await stream.open({ id, url, sdp }, { signal: new AbortController().signal })).sdp;
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      // A viewer that has gone already has ended it.
      await stream.close({ id }).catch(() => undefined);
    },
  };
}

/** The networks this machine is on now. */
function ownNetworks(): OwnNetwork[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.flatMap(({ address, cidr }) =>
      cidr === null ? [] : [{ address, prefixLength: Number(cidr.split('/')[1]) }],
    ),
  );
}
