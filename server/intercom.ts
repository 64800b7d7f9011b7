import { hostname } from 'node:os';
import type { Settings } from './config/settings.ts';
import { systemClock } from './observe/clock.ts';
import type { EventBus } from './observe/eventBus.ts';
import type { Logger } from './observe/log.ts';
import type { SipServiceOptions } from './services/sip/service.ts';

interface IntercomNeeds {
  readonly settings: Settings;
  readonly bus: EventBus;
  readonly log: Logger;
}

/** Puts the intercom together as the settings say. */
export function intercomOptions({ settings, bus, log }: IntercomNeeds): SipServiceOptions {
  return {
    intercom: null,
    deviceName: settings['sip.deviceName'] || hostname(),
    autoAnswer: settings['sip.autoAnswer'],
    doors: settings['sip.doors'],
    hasRegistrar: settings['sip.registrar'] !== '',
    isSecure: settings['sip.transport'] === 'tls',
    dataDir: settings.dataDir,
    events: bus,
    clock: systemClock,
    log,
  };
}
