import { z } from 'zod';
import { defineCommand, type Feed, isFeed } from '../../contract/command.ts';
import { hexDigits, someHexField } from '../../contract/fields.ts';

/** Longest wait of a read in milliseconds. */
const SERIAL_READ_LIMIT_MS = 60_000;
/** Longest read by `length`, in bytes: the size of the buffer between reads. */
const SERIAL_READ_LIMIT_BYTES = 65_536;
/** Longest delimiter in bytes. */
const LONGEST_DELIMITER = 64;
/** Longest break in milliseconds. */
const LONGEST_BREAK_MS = 5_000;

export const serialPort = z
  .string()
  .min(1)
  .max(255)
  .describe('as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485)');
const port = serialPort;
export const baudRate = z.int().min(50).max(4_000_000);
export const parity = z.enum(['none', 'even', 'odd']);

/** How the bits of a byte go over the line, besides its speed. */
export const lineFormat = {
  dataBits: z.int().min(5).max(8),
  parity,
  stopBits: z.int().min(1).max(2),
  flowControl: z
    .enum(['none', 'hardware', 'software'])
    .describe('hardware: RTS and CTS; software: XON and XOFF, which take two bytes out of the data'),
} as const;

/** As callers give it: what is left out is as the board profile says, else 8 data bits, no parity, 1 stop bit, none. */
const format = {
  dataBits: lineFormat.dataBits.optional().describe('8 unless the board profile says otherwise'),
  parity: lineFormat.parity.optional().describe('none unless the board profile says otherwise'),
  stopBits: lineFormat.stopBits.optional().describe('1 unless the board profile says otherwise'),
  flowControl: lineFormat.flowControl
    .optional()
    .describe(
      'hardware: RTS and CTS; software: XON and XOFF, which take two bytes out of the data; none unless the board profile says otherwise',
    ),
};
const errors = [
  'NOT_FOUND',
  'UNSUPPORTED_HARDWARE',
  'PORT_BUSY',
  'HARDWARE_ERROR',
  'HARDWARE_TIMEOUT',
] as const;

const serialPortState = z.strictObject({ port, state: z.enum(['open', 'closed', 'lost']) });
export type SerialPortState = z.infer<typeof serialPortState>;

/** Bytes that went over a line in one direction without a pause. */
const trafficEntry = z.strictObject({
  time: z.string().describe('when the first of the bytes went, UTC'),
  port,
  direction: z.enum(['sent', 'received']),
  hex: z.string().describe('upper case, without blanks'),
});
export type TrafficEntry = z.infer<typeof trafficEntry>;

/** Its events. */
export const serialEvents = {
  serial: serialPortState,
};
/** Their use on a broker. */
export const serialBroker = {
  serial: 'event',
} as const;
/** The states that a new listener gets first. */
export const serialSnapshot = {
  serial: z.array(serialPortState),
};

export const serialCommands = {
  'serial.write': defineCommand({
    summary: 'Send bytes; the answer comes when they have left the port.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z.strictObject({
      port,
      baudRate,
      ...format,
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
    summary:
      'Receive bytes: returns 20 ms after the last byte, or empty after the timeout. With `until` or `length` it waits for as much instead, at most until the timeout. Each page and each token has its own place in the last 64 KiB.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed' },
    reads: true,
    params: z
      .strictObject({
        port,
        baudRate,
        ...format,
        timeout: z.int().min(0).max(SERIAL_READ_LIMIT_MS).describe('milliseconds'),
        until: someHexField
          .refine((hex) => hexDigits(hex).length <= 2 * LONGEST_DELIMITER, {
            message: `must be at most ${LONGEST_DELIMITER} bytes`,
          })
          .optional()
          .describe(
            `bytes as hex, at most ${LONGEST_DELIMITER}: returns what came up to them, with them, such as 0D`,
          ),
        length: z.int().min(1).max(SERIAL_READ_LIMIT_BYTES).optional().describe('returns so many bytes'),
      })
      .refine((p) => p.until === undefined || p.length === undefined, {
        path: ['length'],
        message: 'give at most one of until and length',
      })
      .meta({ not: { required: ['until', 'length'] } }),
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
  'serial.break': defineCommand({
    summary: 'Hold the line in the break state; the answer comes at its end.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z.strictObject({
      port,
      baudRate,
      ...format,
      ms: z.int().min(1).max(LONGEST_BREAK_MS).default(250).describe('milliseconds'),
    }),
    result: z.strictObject({ status: z.literal('ok'), port }),
    errors,
    timeoutMs: 150_000,
    http: { method: 'POST', path: '/api/remote/serial/break' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'serialBreak' }],
  }),
  'serial.monitor': defineCommand({
    summary:
      'Follow what goes over the serial ports in both directions: the last 500 entries, then each new one.',
    access: { scope: 'manage', http: 'token' },
    reads: true,
    params: z.strictObject({ port: port.optional().describe('only this one; without it all of them') }),
    result: z.custom<Feed<TrafficEntry>>(isFeed),
    errors: ['NOT_FOUND', 'CONFLICT'],
    entry: trafficEntry,
    http: {
      method: 'GET',
      path: '/api/manage/serial',
      query: ['port'],
      answer: ['text/event-stream'],
    },
  }),
  'serial.close': defineCommand({
    summary: 'Close a port; closing a closed port succeeds.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z.strictObject({ port }),
    result: z.strictObject({ status: z.literal('ok'), port }),
    errors,
    timeoutMs: 150_000,
    http: { method: 'POST', path: '/api/remote/serial/close' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'serialClose' }],
  }),
};
