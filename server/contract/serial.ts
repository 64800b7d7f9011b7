import { z } from 'zod';
import { defineCommand } from './command.ts';
import { someHexField } from './fields.ts';

/** Longest wait of a read in milliseconds. */
const SERIAL_READ_LIMIT_MS = 60_000;

const port = z
  .string()
  .min(1)
  .max(255)
  .describe('as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485)');
const baudRate = z.int().min(50).max(4_000_000);
const errors = [
  'NOT_FOUND',
  'UNSUPPORTED_HARDWARE',
  'PORT_BUSY',
  'HARDWARE_ERROR',
  'HARDWARE_TIMEOUT',
] as const;

export const serialPortState = z.strictObject({ port, state: z.enum(['open', 'closed', 'lost']) });
export type SerialPortState = z.infer<typeof serialPortState>;

export const serialCommands = {
  'serial.write': defineCommand({
    summary: 'Send bytes; the answer comes when they have left the port.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: z.strictObject({
      port,
      baudRate,
      hex: someHexField,
    }),
    result: z.strictObject({ status: z.literal('ok'), port, sent: z.int().min(1) }),
    errors,
    // A slow line: 64 KiB at 9600 baud take about 70 s; calls of the same port wait for each other besides.
    timeoutMs: 150_000,
    http: { method: 'POST', path: '/api/remote/serial/write' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'serialWrite' }],
  }),
  'serial.read': defineCommand({
    summary: 'Receive bytes: returns 20 ms after the last byte, or empty after the timeout.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed' },
    reads: true,
    params: z.strictObject({
      port,
      baudRate,
      timeout: z.int().min(0).max(SERIAL_READ_LIMIT_MS).describe('milliseconds'),
    }),
    result: z.strictObject({
      port,
      hex: z.string().describe('upper case, without blanks'),
      data: z.string().describe('the same bytes as Latin-1 text'),
    }),
    errors,
    timeoutMs: 150_000,
    http: { method: 'POST', path: '/api/remote/serial/read' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'serialRead' }],
  }),
  'serial.close': defineCommand({
    summary: 'Close a port; closing a closed port succeeds.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: z.strictObject({ port }),
    result: z.strictObject({ status: z.literal('ok'), port }),
    errors,
    timeoutMs: 150_000,
    http: { method: 'POST', path: '/api/remote/serial/close' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'serialClose' }],
  }),
};
