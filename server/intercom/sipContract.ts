import { z } from 'zod';
import { defineCommand } from '../contract/command.ts';
import { noParams } from '../contract/fields.ts';

/** Loudest step of `setCallVolume`. */
export const CALL_MAX_VOLUME = 10;

/** What the intercom is doing, in the words that pages show. */
const callStatus = z.union([
  z.enum([
    'idle',
    'ringing',
    'calling...',
    'incoming...',
    'connected (incoming)',
    'connected (outgoing)',
    'connected (outgoing via PBX)',
    'connected (outgoing, legacy audio)',
    'connected (outgoing via PBX, legacy audio)',
    'paging...',
    'failed',
  ]),
  // containerTypes writes `typeText` when JSON Schema cannot express a type.
  z
    .templateLiteral(['paging (', z.int().min(0), ' active)'])
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a type
    .meta({ typeText: '`paging (${number} active)`' }),
]);
export type CallStatus = z.infer<typeof callStatus>;

export const sipStatus = z.strictObject({
  callStatus,
  calleeBusy: z.boolean().describe('the call that has just failed met 486, 600 or 603'),
  callHasVideo: z.boolean().describe('there is a picture of the remote party to show'),
  activeCallId: z.string().nullable(),
  incomingCallerName: z.string().describe('of the incoming call, also after it is answered; otherwise empty'),
  incomingIsBroadcast: z.boolean().describe('the incoming call is an announcement'),
  registered: z.boolean(),
  pagingActiveCount: z.int().describe('panels that hear our announcement'),
  deviceName: z.string(),
  micMuted: z.boolean(),
  callVolume: z.int().describe(`0 to ${CALL_MAX_VOLUME}`),
  callMaxVolume: z.int(),
  lastError: z.string().nullable().describe('why the last action failed; null once an action succeeds'),
});
export type SipStatus = z.infer<typeof sipStatus>;

export const panelEntry = z.strictObject({ name: z.string(), host: z.string(), port: z.int() });
export type PanelEntry = z.infer<typeof panelEntry>;

const historyEntry = z.strictObject({
  callId: z.string(),
  direction: z.enum(['incoming', 'outgoing']),
  name: z.string().describe('as it was shown'),
  address: z.string().describe('address or extension of the remote party; empty for an announcement'),
  startedAt: z.string().describe('ISO 8601'),
  seconds: z.int().describe('time talked; 0 when the call was not answered'),
  outcome: z.enum([
    'answered',
    'missed',
    'rejected',
    'ignored',
    'answeredElsewhere',
    'cancelled',
    'noAnswer',
    'busy',
    'failed',
  ]),
  hasVideo: z.boolean(),
  isBroadcast: z.boolean(),
  viaPbx: z.boolean(),
  mediaFrom: z
    .string()
    .optional()
    .describe('where its sound or picture came from, if from another address than the remote party named'),
});
/** How many calls are remembered. */
export const MAX_HISTORY = 100;
export const callHistory = z.array(historyEntry).max(MAX_HISTORY);
export type HistoryEntry = z.infer<typeof historyEntry>;

const callId = z.string();
const direction = z.enum(['incoming', 'outgoing']);

/** What happens to calls, under the names of `container.sip.on`. */
export const callEventTypes = {
  incomingCall: z.strictObject({
    callId,
    callerName: z.string(),
    isBroadcast: z.boolean(),
    hasVideo: z.boolean(),
  }),
  callConnected: z.strictObject({
    callId,
    direction,
    hasVideo: z.boolean(),
    viaPbx: z.boolean(),
    legacy: z.boolean().describe('the remote party is not another Faceplate'),
  }),
  callEnded: z.strictObject({
    callId,
    reason: z.enum(['local', 'remote', 'remote_bye', 'rejected', 'timeout']),
  }),
  callFailed: z.strictObject({
    reason: z.enum(['busy', 'timeout', 'unreachable', 'refused', 'media']),
    busy: z.boolean(),
  }),
  dtmfReceived: z.strictObject({
    digit: z
      .string()
      .regex(/^[0-9*#A-D]$/)
      .describe('a key that the remote party pressed within the connected call: 0-9, *, #, A-D'),
  }),
  registrationChanged: z.strictObject({ registered: z.boolean(), lastError: z.string().nullable() }),
  panelFound: panelEntry,
  panelLost: z.strictObject({ name: z.string() }),
  pagingStatusChanged: z.strictObject({ activeCount: z.int() }),
} as const;

type SipEventName = keyof typeof callEventTypes;
export type SipEventPayload<N extends SipEventName> = z.infer<(typeof callEventTypes)[N]>;

const named = <N extends SipEventName>(event: N) =>
  z.strictObject({ event: z.literal(event), payload: callEventTypes[event] });

/** The `sip` event of `container.on` and of `GET /api/remote/events`. */
export const sipEvent = z.discriminatedUnion('event', [
  named('incomingCall'),
  named('callConnected'),
  named('callEnded'),
  named('callFailed'),
  named('dtmfReceived'),
  named('registrationChanged'),
  named('panelFound'),
  named('panelLost'),
  named('pagingStatusChanged'),
]);
export type SipEvent = z.infer<typeof sipEvent>;

/** What users have set, as it is stored on disk. */
export const sipPreferences = z.strictObject({
  panelId: z
    .string()
    .max(64)
    .describe('by which other panels recognise this one, whatever its address and name'),
  micMuted: z.boolean(),
  callVolume: z.int().min(0).max(CALL_MAX_VOLUME),
  doNotDisturb: z.boolean(),
});
export type SipPreferences = z.infer<typeof sipPreferences>;

/** Reads an IP address, with or without a port (an IPv6 address is then in brackets); undefined when it is none. */
export function parseAddress(text: string): { readonly host: string; readonly port?: number } | undefined {
  if (z.ipv6().safeParse(text).success) return { host: text };
  const match = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text);
  const [, v6, v4, digits] = match ?? [];
  const host = v6 ?? v4;
  if (host === undefined) return undefined;
  if (!(v6 === undefined ? z.ipv4() : z.ipv6()).safeParse(host).success) return undefined;
  if (digits === undefined) return { host };
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** An IP address to call, with an optional port. */
const callAddress = z
  .string()
  .max(64)
  .refine((text) => parseAddress(text) !== undefined, 'must be an IP address such as 192.168.1.20');

/** The user part of a SIP address, such as a number at the PBX (RFC 3261 section 25.1, without escapes). */
export const extensionField = z
  .string()
  .regex(/^[A-Za-z0-9_.!~*'+#-]{1,64}$/, "must be 1 to 64 of A-Z a-z 0-9 _ . ! ~ * ' + # -");

/** Who is called: an address or an extension. */
export const callPeer = z.union([callAddress, extensionField], {
  error: 'must be an IP address such as 192.168.1.20, or an extension',
});

/** A door of the setting sip.doors. */
export const doorName = z.string().min(1).max(64);

/** Digits of a telephone keypad (RFC 4733 section 3.2), `A` to `D` in either case. */
export const dtmfDigits = z.string().regex(/^[0-9*#A-Da-d]{1,32}$/, 'must be 1 to 32 of 0-9 * # A-D');

const target = z.enum(['remote', 'local']).describe("the remote party's picture, or our own");

/** A method of `container.sip` whose promise resolves with the status. */
function method<P extends z.ZodType>(
  name: string,
  summary: string,
  params: P,
  args: readonly string[] = [],
  timeoutMs = 10_000,
) {
  return defineCommand({
    summary,
    access: { page: 'allowed' },
    params,
    result: sipStatus,
    errors: ['SIP_DISABLED'],
    timeoutMs,
    page: [{ kind: 'method', object: 'sip', method: name, args }],
  });
}

/** What is announced of calls. */
export const sipEvents = {
  sip: sipEvent,
};
/** What becomes of it on a broker. */
export const sipBroker = {
  sip: 'event',
} as const;

export const sipCommands = {
  'sip.placeCallToIp': method(
    'placeCallToIp',
    'Call an IP address, with or without a port.',
    z.strictObject({ ip: callAddress }),
    ['ip'],
  ),
  'sip.placeCallToExtension': method(
    'placeCallToExtension',
    'Call an extension of the configured registrar.',
    z.strictObject({ extension: extensionField }),
    ['extension'],
  ),
  // As long as the remote party may take to acknowledge (RFC 3261 timer H), and a little more.
  'sip.answer': method('answer', 'Answer the incoming call.', noParams, [], 40_000),
  'sip.reject': method('reject', 'Refuse the incoming call as busy (486).', noParams),
  'sip.ignore': method(
    'ignore',
    'Stop ringing for the incoming call; the caller hears no difference.',
    noParams,
  ),
  'sip.hangup': method('hangup', 'End the call or the announcement, whatever its state.', noParams),
  'sip.pageAll': method(
    'pageAll',
    'Make an announcement: speak to all panels of the house at once.',
    noParams,
  ),
  'sip.hangupPageAll': method('hangupPageAll', 'End the announcement to all panels.', noParams),
  'sip.setAutoAnswer': method(
    'setAutoAnswer',
    'Answer calls of listed peers without a touch, until the next start.',
    z.strictObject({ enabled: z.boolean() }),
    ['enabled'],
  ),
  'sip.setMicMuted': method(
    'setMicMuted',
    'Mute: send silence and no picture; or speak again.',
    z.strictObject({ muted: z.boolean() }),
    ['muted'],
  ),
  'sip.setCallVolume': method(
    'setCallVolume',
    'Loudness of calls.',
    z.strictObject({ volume: z.int().min(0).max(CALL_MAX_VOLUME).describe(`0 to ${CALL_MAX_VOLUME}`) }),
    ['volume'],
  ),
  'sip.sendDtmf': method(
    'sendDtmf',
    'Press keys within the connected call.',
    z.strictObject({ digits: dtmfDigits }),
    ['digits'],
    60_000,
  ),
  'sip.openDoor': method(
    'openDoor',
    'Open a door of the setting sip.doors; without a name, the door that calls, or the only one.',
    z.strictObject({ name: doorName.optional() }),
    ['name'],
    60_000,
  ),
  'sip.setDoNotDisturb': method(
    'setDoNotDisturb',
    'Refuse all incoming calls silently (480); they stand in the history as missed.',
    z.strictObject({ enabled: z.boolean() }),
    ['enabled'],
  ),
  'sip.claim': method(
    'claim',
    'Draw incoming calls in this page, until it is left: the panel shows no sheet of its own for them.',
    noParams,
  ),
  'sip.getStatus': {
    ...method('getStatus', 'What the intercom is doing.', noParams),
    reads: true as const,
  },
  'sip.history': defineCommand({
    summary: 'The last 100 calls, the newest first.',
    access: { page: 'allowed' },
    reads: true,
    params: noParams,
    result: callHistory,
    errors: ['SIP_DISABLED'],
    page: [{ kind: 'method', object: 'sip', method: 'history', args: [] }],
  }),
  'sip.listPanels': defineCommand({
    summary: 'The other panels that are reachable now.',
    access: { page: 'allowed' },
    reads: true,
    params: noParams,
    result: z.array(panelEntry),
    errors: ['SIP_DISABLED'],
    page: [{ kind: 'method', object: 'sip', method: 'listPanels', args: [] }],
  }),
  'sip.showVideo': defineCommand({
    summary: 'A picture of the call for a WebRTC viewer of the page: offer in, answer out.',
    access: { page: 'allowed' },
    reads: true,
    params: z.strictObject({ target, sdp: z.string().min(1).max(262_144) }),
    result: z.strictObject({ sdp: z.string() }),
    errors: ['SIP_DISABLED', 'NOT_FOUND'],
    timeoutMs: 20_000,
    page: [{ kind: 'action', object: 'sipVideo', action: 'show' }],
  }),
  'sip.hideVideo': defineCommand({
    summary: 'The page no longer shows a picture.',
    access: { page: 'allowed' },
    reads: true,
    params: z.strictObject({ target: target.optional() }),
    result: sipStatus,
    errors: ['SIP_DISABLED'],
    page: [{ kind: 'action', object: 'sipVideo', action: 'hide' }],
  }),
};
