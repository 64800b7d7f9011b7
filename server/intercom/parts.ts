import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { systemClock } from '../platform/clock.ts';
import type { EventBus } from '../platform/eventBus.ts';
import type { Logger } from '../platform/log.ts';
import { ownAddresses } from '../platform/net/addresses.ts';
import { makeOwnCertificate, StoredCertificate, type TlsIdentity } from '../platform/tls/ownCertificate.ts';
import type { StreamService } from '../video/service.ts';
import type { MediaDriver } from '../webrtc/driver.ts';
import { CallerPolicy, isOnLink } from './calls/callerPolicy.ts';
import { Doors } from './calls/doors.ts';
import type { Intercom } from './calls/intercom.ts';
import { PanelList } from './calls/panelList.ts';
import { MdnsDiscovery } from './discovery/mdnsDiscovery.ts';
import { HttpDoor } from './door/httpDoor.ts';
import { CallMediaFactory } from './media/factory.ts';
import type { CallViewer, CameraPreview, IntercomPage } from './ports.ts';
import { SipAgent } from './sip/agent.ts';
import type { TlsTrust } from './sip/transport/tlsTrust.ts';

export interface IntercomNeeds {
  readonly settings: Settings;
  readonly version: string;
  readonly bus: EventBus;
  readonly log: Logger;
  /** Plays the cameras of doors. */
  readonly stream: Pick<StreamService, 'open' | 'close'>;
  /** Decides about remote parties whose certificates the system does not trust. */
  readonly certificates: TlsTrust;
  /** Has microphone, camera and speaker. */
  readonly page: IntercomPage;
  /** The system calls that send many packets at once; without them Node's own sockets. */
  readonly mediaDriver?: MediaDriver;
  /** Called for an incoming call. */
  readonly onRing: () => void;
  /** UDP port of mDNS other than 5353, for tests. */
  readonly mdnsPort?: number;
}

/** Signalling, media, discovery and doors, made of each other. */
export function partsOf(
  { settings, version, log, stream, certificates, page, mediaDriver, mdnsPort }: IntercomNeeds,
  deviceName: string,
): Intercom {
  const panels = new PanelList();
  const policy = new CallerPolicy({
    allow: settings['sip.allow'],
    allowLan: settings['sip.allowLan'],
    doors: Doors.addresses(settings['sip.doors']),
    networks: ownAddresses,
    srtpOverUdp: settings['sip.srtpOverUdp'],
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
    isPanel: (address) => policy.isPanel(address),
    panelSecret: settings['sip.panelSecret'],
    trust: certificates,
    identity: isTls
      ? () => intercomCertificate({ dataDir: settings.dataDir, name: deviceName, log })
      : undefined,
    clock: systemClock,
    log,
  });
  const discovery = new MdnsDiscovery({
    interfaceAddress: settings['sip.discoveryInterface'],
    isOnLink: (address) => isOnLink(address, ownAddresses()),
    ping: (host, port) => signalling.ping(host, port),
    tlsPort: () => signalling.tlsPort,
    // With a registrar, `sip.transport` applies to its calls only.
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

/** A door's camera is one more stream session for each viewer. */
function previewOver(stream: IntercomNeeds['stream']): CameraPreview {
  const viewers = new Set<CallViewer>();
  const idOf = (viewer: CallViewer) => (viewer === 'glass' ? 'intercom.glass' : 'intercom.preview');
  return {
    open: async (url, sdp, viewer) => {
      viewers.add(viewer);
      const session = { id: idOf(viewer), url, sdp };
      return (await stream.open(session, { signal: new AbortController().signal })).sdp;
    },
    close: async (viewer) => {
      for (const open of [...viewers]) {
        if (viewer !== undefined && open !== viewer) continue;
        viewers.delete(open);
        // If the viewer has already gone, the session has ended.
        await stream.close({ id: idOf(open) }).catch(() => undefined);
      }
    },
  };
}

interface CertificateNeeds {
  readonly dataDir: string;
  /** The panel's name: the subject of the certificate that is made. */
  readonly name: string;
  readonly log: Logger;
}

/**
 * The key and certificate that TLS callers see, stored in `<dataDir>/intercom-certificate.json`. Made once: a caller
 * that trusted the certificate must see the same one again, so a key that cannot be stored is not used.
 * @throws FaceplateError STORAGE_FULL
 */
export async function intercomCertificate({ dataDir, name, log }: CertificateNeeds): Promise<TlsIdentity> {
  const file = new StoredCertificate(join(dataDir, 'intercom-certificate.json'), log);
  const stored = await file.load();
  if (stored !== null) return stored;
  const made = await makeOwnCertificate(name);
  const fingerprint = await file.save(made);
  log.info({ fingerprint }, 'intercom: certificate created');
  return made;
}
