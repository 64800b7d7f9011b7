import { z } from 'zod';
import { sipEvent } from '../intercom/sipContract.ts';
import { pageState } from '../kiosk/contract.ts';
import { appEntry } from '../parts/apps/contract.ts';
import { buttonEvent } from '../parts/buttons/contract.ts';
import { climateState } from '../parts/climate/contract.ts';
import { displayState } from '../parts/display/contract.ts';
import { rolloutEvent } from '../parts/fleet/contract.ts';
import { pinState } from '../parts/gpio/contract.ts';
import { healthState } from '../parts/health/contract.ts';
import { ledState } from '../parts/led/contract.ts';
import { messageEvent } from '../parts/messages/contract.ts';
import { projectEvent } from '../parts/projects/contract.ts';
import { scanEvent } from '../parts/readers/contract.ts';
import { serialPortState } from '../parts/serial/contract.ts';
import { alarmState } from '../parts/sleep/contract.ts';
import { soundEvent } from '../parts/sound/contract.ts';
import { tcpEvent } from '../parts/tcp/contract.ts';
import { udpEvent } from '../parts/udp/contract.ts';
import { updateState } from '../parts/update/contract.ts';
import { streamSession } from '../video/contract.ts';

/** Facts that are announced to pages (`container.on`) and to HTTP callers (`GET /api/remote/events`). */
export const events = {
  led: ledState,
  gpio: pinState,
  climate: climateState,
  rtc: alarmState,
  power: z.strictObject({ state: z.enum(['awake', 'asleep', 'rebooting']) }),
  serial: serialPortState,
  button: buttonEvent,
  scan: scanEvent,
  apps: z.array(appEntry),
  stream: streamSession,
  sip: sipEvent,
  page: pageState,
  message: messageEvent,
  display: displayState,
  health: healthState,
  sound: soundEvent,
  project: projectEvent,
  rollout: rolloutEvent,
  update: updateState,
  udp: udpEvent,
  tcp: tcpEvent,
} as const;

export type EventName = keyof typeof events;
/** Told only to those whom they concern: one page, or the callers of one token. */
export type PrivateEventName = 'udp' | 'tcp';
/** Told to everyone who listens. */
export type PublicEventName = Exclude<EventName, PrivateEventName>;
export type EventPayload<N extends EventName> = z.infer<(typeof events)[N]>;

/** Sent once, first, to everyone who begins to listen. Parts that the board lacks are left out. */
export const snapshot = z.strictObject({
  led: ledState.optional(),
  gpio: z.array(pinState),
  climate: climateState.optional(),
  rtc: alarmState.optional(),
  power: events.power,
  serial: z.array(serialPortState),
  apps: z.array(appEntry).optional(),
  streams: z.array(streamSession),
  display: displayState.optional(),
  page: pageState.optional().describe('without a kiosk page it is left out'),
  camera: z.string().nullable().describe("URL of the simulated board's camera; null on a real panel"),
});
export type Snapshot = z.infer<typeof snapshot>;
