import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { hexField } from '../../contract/fields.ts';

/** Sockets that can be open at one time, of all callers together. */
export const TCP_MAX_SOCKETS = 16;
/** Bytes that may wait for a peer that does not read. */
export const TCP_MAX_WAITING = 1024 * 1024;

const id = z.string().min(1).max(64).describe('as tcp/open answered');

/** What happens to a socket, sent only to its opener. */
const tcpEvent = z.strictObject({
  id: z.string(),
  state: z.enum(['open', 'closed', 'failed']).describe('failed: the connection never came about'),
  hex: z.string().optional().describe('what the peer sent, upper case, without blanks; only with open'),
  error: z.string().optional().describe('why it failed, or was cut off'),
});
export type TcpEvent = z.infer<typeof tcpEvent>;

const socketResult = z.strictObject({ id: z.string() });

/** Its events. */
export const tcpEvents = {
  tcp: tcpEvent,
};
/** Their use on a broker. */
export const tcpBroker = {
  tcp: 'none',
} as const;

export const tcpCommands = {
  'tcp.open': defineCommand({
    summary:
      'Open a TCP connection to a device of the local network; events `tcp` tell what becomes of it and what the device sends.',
    access: { scope: 'control', http: 'token', page: 'allowed' },
    params: z.strictObject({
      host: z
        .string()
        .max(253)
        .regex(/^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?\.?$/, 'must be an IPv4 address or a name')
        .describe('IPv4 address or name'),
      port: z.int().min(1).max(65_535),
      tls: z
        .boolean()
        .default(false)
        .describe(
          'over TLS, with a certificate that the system or kiosk.authorities trust, or that is pinned',
        ),
    }),
    result: socketResult,
    errors: ['FORBIDDEN', 'CONFLICT', 'HARDWARE_ERROR'],
    http: { method: 'POST', path: '/api/remote/tcp/open' },
  }),
  'tcp.send': defineCommand({
    summary: 'Send bytes; those that the device does not take yet wait, up to 1 MiB.',
    access: { scope: 'control', http: 'token', page: 'allowed' },
    params: z
      .strictObject({
        id,
        hex: hexField.optional(),
        text: z.string().max(65_536).optional().describe('sent as UTF-8, instead of hex'),
      })
      .refine((p) => (p.hex === undefined) !== (p.text === undefined), {
        path: ['hex'],
        message: 'give exactly one of hex and text',
      })
      .meta({ oneOf: ['hex', 'text'].map((field) => ({ required: [field] })) }),
    result: socketResult,
    errors: ['NOT_FOUND', 'CONFLICT'],
    http: { method: 'POST', path: '/api/remote/tcp/send' },
  }),
  'tcp.close': defineCommand({
    summary: 'Close a connection; what waits is sent first.',
    access: { scope: 'control', http: 'token', page: 'allowed' },
    params: z.strictObject({ id }),
    result: socketResult,
    errors: ['NOT_FOUND'],
    http: { method: 'POST', path: '/api/remote/tcp/close' },
  }),
};
