import { z } from 'zod';
import { defineCommand } from './command.ts';
import { hexField } from './fields.ts';

/** Largest payload of one IPv4 datagram in bytes (65,535 less the IP and UDP headers). */
export const UDP_MAX_BYTES = 65_507;

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
    errors: ['FORBIDDEN', 'HARDWARE_ERROR'],
    http: { method: 'POST', path: '/api/remote/udp/send' },
    page: [
      { kind: 'method', object: 'container', method: 'sendUdp', args: ['host', 'port', 'hex'] },
      { kind: 'method', object: 'container', method: 'sendUdpRaw', args: ['host', 'port', 'text'] },
    ],
  }),
};
