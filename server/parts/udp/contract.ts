import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { hexField } from '../../contract/fields.ts';

/** Largest payload of one IPv4 datagram in bytes (65,535 less the IP and UDP headers). */
export const UDP_MAX_BYTES = 65_507;

/** Ports that can be heard at one time, by all callers together. */
export const UDP_MAX_PORTS = 8;

const listenedPort = z.int().min(1024).max(65_535);

const listenResult = z.strictObject({ status: z.literal('ok'), port: listenedPort });

/** A datagram that arrived at a port, sent only to the listeners of that port. */
const udpEvent = z.strictObject({
  port: listenedPort,
  host: z.ipv4().describe('of the sender'),
  hex: z.string().describe('upper case, without blanks'),
});
export type UdpEvent = z.infer<typeof udpEvent>;

/** Its events. */
export const udpEvents = {
  udp: udpEvent,
};
/** Their use on a broker. */
export const udpBroker = {
  udp: 'none',
} as const;

export const udpCommands = {
  'udp.send': defineCommand({
    summary: 'Send one UDP datagram to an address of the local network.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: z
      .strictObject({
        host: z.ipv4(),
        port: z.int().min(1).max(65_535),
        hex: hexField.optional(),
        text: z.string().max(UDP_MAX_BYTES).optional().describe('sent as UTF-8, instead of hex'),
        from: listenedPort
          .optional()
          .describe(
            'the port that it leaves from: one that this caller hears by `udp.listen`; else any free one',
          ),
      })
      .refine((p) => (p.hex === undefined) !== (p.text === undefined), {
        path: ['hex'],
        message: 'give exactly one of hex and text',
      })
      .meta({ oneOf: ['hex', 'text'].map((field) => ({ required: [field] })) }),
    result: z.strictObject({
      status: z.literal('ok'),
      host: z.ipv4(),
      port: z.int(),
      sent: z.int().min(0).describe('bytes'),
    }),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'HARDWARE_ERROR'],
    http: { method: 'POST', path: '/api/remote/udp/send' },
    page: [
      { kind: 'method', object: 'container', method: 'sendUdp', args: ['host', 'port', 'hex'] },
      { kind: 'method', object: 'container', method: 'sendUdpRaw', args: ['host', 'port', 'text'] },
    ],
  }),
  'udp.listen': defineCommand({
    summary: 'Hear the datagrams that come to a port, as events `udp`, until the page or the token leaves.',
    access: { scope: 'control', http: 'token', page: 'allowed' },
    params: z.strictObject({
      port: listenedPort,
      group: z
        .ipv4()
        .refine(isMulticast, 'must be a multicast address, 224.0.0.0 to 239.255.255.255')
        .optional()
        .describe('a multicast group that is joined, such as 224.0.23.12 of KNX/IP'),
    }),
    result: listenResult,
    errors: ['FORBIDDEN', 'CONFLICT', 'PORT_BUSY', 'HARDWARE_ERROR'],
    http: { method: 'POST', path: '/api/remote/udp/listen' },
  }),
  'udp.unlisten': defineCommand({
    summary: 'Hear a port no longer; one that was not heard is no mistake.',
    access: { scope: 'control', http: 'token', page: 'allowed' },
    params: z.strictObject({ port: listenedPort }),
    result: listenResult,
    http: { method: 'POST', path: '/api/remote/udp/unlisten' },
  }),
};

/** 224.0.0.0/4 (RFC 5771). */
function isMulticast(address: string): boolean {
  const first = Number(address.split('.', 1)[0]);
  return first >= 224 && first <= 239;
}
