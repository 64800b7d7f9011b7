import type { BridgeSink, KioskHost } from '../kiosk/host.ts';
import type { SettingsPageService } from '../kiosk/settingsPage/service.ts';
import type { CertificatesService } from '../parts/certificates/service.ts';
import type { IdleService } from '../parts/idle/service.ts';
import { type Core, definePart } from '../parts/part.ts';
import { systemClock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { StreamService } from '../video/service.ts';
import type { MediaDriver } from '../webrtc/driver.ts';
import { CallSheet } from './calls/callSheet.ts';
import { SipService } from './calls/service.ts';
import { intercomCommands } from './contract.ts';
import { IntercomChannel } from './intercomChannel.ts';
import type { IntercomNeeds } from './parts.ts';
import { sipCommands } from './sipContract.ts';

/** The page that has microphone, camera and speaker. */
export const intercomPage = definePart('intercomPage', ({ clock, log }) => new IntercomChannel(clock, log));

interface Needs {
  readonly certificates: CertificatesService;
  readonly idle: IdleService;
  readonly intercomPage: IntercomChannel;
  readonly media: { readonly driver: MediaDriver };
  readonly stream: StreamService;
}

const { 'sip.claim': claim, ...serviceCommands } = sipCommands;

/** Calls to and from other panels, doors and telephones. */
export const sip = definePart('sip', async (core: Core & Needs) => {
  const { loaded, version, ownPorts, events, log } = core;
  const { certificates, idle, intercomPage, media, stream } = core;
  const { sip, port } = await createIntercom({
    settings: loaded.settings,
    version,
    bus: events,
    log,
    stream,
    certificates,
    page: intercomPage,
    mediaDriver: media.driver,
    onRing: () => idle.activity(),
  });
  sip.onIgnored((callId) => idle.callIgnored(callId));
  // SIP over TLS listens on the port after.
  ownPorts.claim(() => (port() > 0 ? [port(), port() + 1] : []));
  return sip;
})
  .answering({ ...serviceCommands, ...intercomCommands }, (service) => ({
    'intercom.state': () => service.overview(),
    'intercom.call': (params) => service.placeCall(params),
    'intercom.door': (params) => service.openDoor(params),
    'intercom.dnd': ({ on }) => service.setDoNotDisturb({ enabled: on }),
  }))
  .showing(async (service, { loaded }) => {
    if (!loaded.settings['sip.enabled']) return { intercom: undefined };
    // While it ends it is not gone for good: that is refused.
    const { status, doors, doNotDisturb } = await service.overview();
    return {
      intercom: { callStatus: status.callStatus, doNotDisturb, doors: doors.map(({ name }) => name) },
    };
  });

interface SheetNeeds {
  readonly sip: SipService;
  readonly settingsPage: SettingsPageService;
}

/** Calls that come in, above every page that does not draw them itself. */
export const callSheet = definePart(
  'callSheet',
  ({ sip, settingsPage, glass, holders, events, log }: Core & SheetNeeds) =>
    new CallSheet({
      intercom: sip,
      screen: {
        show: (call) => glass.set('call', call),
        onEvent: (listener) => glass.onEvent(listener),
      },
      cover: settingsPage,
      holders,
      events,
      log,
    }),
).answering({ 'sip.claim': claim });

/**
 * Builds the intercom as the settings say; while `sip.enabled` is off it holds no resources, and its
 * parts are not even loaded.
 * @returns the service, and the port it listens on after its start
 */
export async function createIntercom(
  needs: IntercomNeeds,
): Promise<{ readonly sip: SipService; port(): number }> {
  const { settings, bus, log } = needs;
  const deviceName = settings['sip.deviceName'] || settings['device.name'];
  const intercom = settings['sip.enabled'] ? (await import('./parts.ts')).partsOf(needs, deviceName) : null;
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

/** Opens the intercom page (microphone, camera, speaker); without a browser calls have no sound. */
export async function showIntercom(
  host: KioskHost,
  url: string,
  sink: BridgeSink,
  log: Logger,
): Promise<void> {
  try {
    await host.openBuiltIn({ name: 'intercom', url, visible: false, media: true, sink });
  } catch (error) {
    log.warn({ err: error }, 'intercom: no page, calls have no sound');
  }
}
