import type { BridgeSink, KioskHost } from '../kiosk/host.ts';
import { systemClock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { SipService } from './calls/service.ts';
import type { IntercomNeeds } from './parts.ts';

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
