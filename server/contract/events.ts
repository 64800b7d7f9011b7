import { z } from 'zod';
import { appEntry } from './apps.ts';
import { buttonEvent } from './button.ts';
import { climateState } from './climate.ts';
import { displayState } from './display.ts';
import { rolloutEvent } from './fleet.ts';
import { pinState } from './gpio.ts';
import { healthState } from './health.ts';
import { ledState } from './led.ts';
import { messageEvent } from './message.ts';
import { pageState } from './page.ts';
import { projectEvent } from './projects.ts';
import { alarmState } from './rtc.ts';
import { scanEvent } from './scan.ts';
import { serialPortState } from './serial.ts';
import { sipEvent } from './sip.ts';
import { soundEvent } from './sound.ts';
import { streamSession } from './stream.ts';
import { tcpEvent } from './tcp.ts';
import { udpEvent } from './udp.ts';
import { updateState } from './update.ts';

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
