import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { baudRate, parity, serialPort } from '../serial/contract.ts';

/** Most values of one request (Modbus application protocol 1.1b3, 6.1 to 6.12). */
export const MODBUS_MOST = { readBits: 2_000, readRegisters: 125, writeBits: 1_968, writeRegisters: 123 };
const ADDRESSES = 65_536;
/** Longest wait for an answer in milliseconds. */
const LONGEST_WAIT_MS = 60_000;

const target = {
  port: serialPort.optional().describe('RTU over this serial port of the board, such as /dev/ttyS9'),
  baudRate: baudRate.optional().describe('of the serial port; 9600 when left out'),
  parity: parity.optional().describe('of the serial port; none when left out'),
  host: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe('TCP to this device of the local network: IPv4 address or name'),
  tcpPort: z.int().min(1).max(65_535).optional().describe('502 when left out'),
  unit: z.int().min(0).max(255).describe('1 to 247 on a serial line'),
};
const address = z
  .int()
  .min(0)
  .max(ADDRESSES - 1)
  .describe('as in the protocol: the first is 0');
const timeoutMs = z
  .int()
  .min(10)
  .max(LONGEST_WAIT_MS)
  .default(1_000)
  .describe('for the answer of the device');

interface Target {
  readonly port?: string | undefined;
  readonly host?: string | undefined;
  readonly tcpPort?: number | undefined;
  readonly baudRate?: number | undefined;
  readonly parity?: string | undefined;
  readonly unit: number;
}

/** What is wrong with the target of a request; undefined if nothing. */
function targetMistake({ port, host, tcpPort, baudRate: rate, parity: bit, unit }: Target): Mistake {
  if ((port === undefined) === (host === undefined)) return ['port', 'give exactly one of port and host'];
  if (port === undefined && rate !== undefined) return ['baudRate', 'belongs to a serial port'];
  if (port === undefined && bit !== undefined) return ['parity', 'belongs to a serial port'];
  if (host === undefined && tcpPort !== undefined) return ['tcpPort', 'belongs to a host'];
  if (port !== undefined && (unit < 1 || unit > 247)) return ['unit', 'must be 1 to 247 on a serial line'];
  return undefined;
}

/** The target of a request, for readers of the schema. */
const oneTarget = [
  { required: ['port'], properties: { unit: { minimum: 1, maximum: 247 }, tcpPort: false, host: false } },
  { required: ['host'], properties: { baudRate: false, parity: false, port: false } },
];

/** The rules between fields, for readers of the schema: also what holds of these kinds, and of the others. */
function rules(kinds: readonly string[], then: object, otherwise: object = {}) {
  return [{ oneOf: oneTarget }, { if: { properties: { kind: { enum: kinds } } }, then, else: otherwise }];
}
const errors = [
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'PORT_BUSY',
  'UNSUPPORTED_HARDWARE',
  'HARDWARE_ERROR',
  'HARDWARE_TIMEOUT',
] as const;
const values = z.array(z.int().min(0).max(65_535));
const access = { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed' } as const;

export const modbusCommands = {
  'modbus.read': defineCommand({
    summary: 'Read values of a Modbus device: on a serial line of the board (RTU), or on the network (TCP).',
    access,
    reads: true,
    params: z
      .strictObject({
        ...target,
        kind: z.enum(['coil', 'discrete', 'holding', 'input']),
        address,
        count: z
          .int()
          .min(1)
          .max(MODBUS_MOST.readBits)
          .default(1)
          .describe(
            `at most ${MODBUS_MOST.readRegisters} of holding and input, ${MODBUS_MOST.readBits} of coil and discrete`,
          ),
        timeoutMs,
      })
      .superRefine((params, context) => {
        const isBit = params.kind === 'coil' || params.kind === 'discrete';
        const most = isBit ? MODBUS_MOST.readBits : MODBUS_MOST.readRegisters;
        refuse(context, targetMistake(params) ?? tooMany('count', params.count, most));
      })
      .meta({
        allOf: rules(['holding', 'input'], {
          properties: { count: { maximum: MODBUS_MOST.readRegisters } },
        }),
      }),
    result: z.strictObject({ values: values.describe('bits are 0 or 1') }),
    errors,
    // Calls of the same line wait for each other.
    timeoutMs: 150_000,
    http: { method: 'POST', path: '/api/remote/modbus/read' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'modbusRead' }],
  }),
  'modbus.write': defineCommand({
    summary: 'Write values of a Modbus device; the answer comes when the device has taken them.',
    access,
    params: z
      .strictObject({
        ...target,
        kind: z.enum(['coil', 'holding']),
        address,
        values: values
          .min(1)
          .max(MODBUS_MOST.writeBits)
          .describe(
            `coils are 0 or 1; at most ${MODBUS_MOST.writeRegisters} of holding, ${MODBUS_MOST.writeBits} of coil`,
          ),
        timeoutMs,
      })
      .superRefine((params, context) => {
        const isBit = params.kind === 'coil';
        const most = isBit ? MODBUS_MOST.writeBits : MODBUS_MOST.writeRegisters;
        refuse(context, targetMistake(params) ?? tooMany('values', params.values.length, most));
        if (isBit && params.values.some((value) => value > 1))
          refuse(context, ['values', 'a coil is 0 or 1']);
      })
      .meta({
        allOf: rules(
          ['coil'],
          { properties: { values: { items: { maximum: 1 } } } },
          { properties: { values: { maxItems: MODBUS_MOST.writeRegisters } } },
        ),
      }),
    result: z.strictObject({ values: values.describe('those that were written') }),
    errors,
    timeoutMs: 150_000,
    http: { method: 'POST', path: '/api/remote/modbus/write' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'modbusWrite' }],
  }),
};

type Mistake = readonly [field: string, message: string] | undefined;

function refuse(context: z.RefinementCtx, mistake: Mistake): void {
  if (mistake) context.addIssue({ code: 'custom', path: [mistake[0]], message: mistake[1] });
}

function tooMany(field: string, count: number, most: number): Mistake {
  return count > most ? [field, `at most ${most} of this kind in one request`] : undefined;
}
