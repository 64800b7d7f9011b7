import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';

/** Bounds of one code. */
export const IR_LIMITS = {
  /** Most values of `timings`. */
  values: 4_095,
  /** Longest value, in microseconds. */
  valueUs: 500_000,
  /** Longest code with all its repetitions, in microseconds. */
  totalUs: 10_000_000,
  /** Longest stretch without a gap of `gapUs`, in microseconds: what the kernel sends in one piece. */
  pieceUs: 500_000,
  gapUs: 5_000,
  minCarrier: 20_000,
  maxCarrier: 500_000,
  /** Most calls that wait for a port behind the one that is sent. */
  waiting: 16,
};

/** Ranges of address and command of each protocol. */
export const IR_PROTOCOLS = {
  nec: { address: 255, command: 255 },
  necx: { address: 65_535, command: 255 },
  samsung32: { address: 65_535, command: 255 },
  rc5: { address: 31, command: 127 },
  rc6: { address: 255, command: 255 },
  sony12: { address: 31, command: 127 },
  sony15: { address: 255, command: 127 },
  sony20: { address: 8_191, command: 127 },
} as const;
export type IrProtocol = keyof typeof IR_PROTOCOLS;

const protocol = z
  .enum(Object.keys(IR_PROTOCOLS) as [IrProtocol, ...IrProtocol[]])
  .describe('nec, necx, samsung32, rc5, rc6 (mode 0), sony12, sony15 or sony20');
const value = z.int().min(0).max(65_535);
const timings = z
  .array(z.int().min(1).max(IR_LIMITS.valueUs))
  .min(1)
  .max(IR_LIMITS.values)
  .describe('microseconds of light and darkness in turn, light first; an odd count');
const portName = z.string().min(1).max(64);

/** One key of a remote control. */
const codeField = z
  .strictObject({ protocol, address: value, command: value })
  .superRefine(({ protocol: name, address, command }, context) => {
    const most = IR_PROTOCOLS[name];
    for (const [field, given] of Object.entries({ address, command }) as ['address' | 'command', number][])
      if (given > most[field])
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `must be 0 to ${most[field]} for ${name} (got ${given})`,
        });
  });
export type IrCode = z.infer<typeof codeField>;

/** One key of a remote control as it was heard. */
const heardCode = z.strictObject({
  protocol,
  address: value,
  command: value,
  repeat: z.literal(true).optional().describe('the repeat frame of NEC: the key is still held'),
});
export type HeardCode = z.infer<typeof heardCode>;

const oddTimings = timings.refine(
  (values) => values.length % 2 === 1,
  'must have an odd count of values: light first, light last',
);

/** The forms of a code, of which a call has exactly one. */
export const IR_FORMS = ['timings', 'pronto', 'sendir', 'code'] as const;

/** What a port sends. */
export const irSending = z.strictObject({
  port: portName.optional().describe('as in the board profile; may be left out where one port sends'),
  repeat: z.int().min(0).max(20).optional().describe('further frames; 0 when left out'),
  carrier: z
    .int()
    .min(IR_LIMITS.minCarrier)
    .max(IR_LIMITS.maxCarrier)
    .optional()
    .describe('in Hz; left out: of the protocol, else 38000'),
  timings: oddTimings.optional(),
  pronto: z.string().min(1).max(40_000).optional().describe('Pronto hex, learned form: 0000 …'),
  sendir: z
    .string()
    .min(1)
    .max(40_000)
    .optional()
    .describe(
      'what follows `sendir,<module>:<port>,` of Global Caché: id, frequency, repeat, offset, values',
    ),
  code: codeField.optional().describe('a key of a known protocol'),
});
export type IrSending = z.infer<typeof irSending>;

const oneForm = irSending.superRefine((params, context) => {
  const given = IR_FORMS.filter((form) => params[form] !== undefined);
  const issue = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (given.length !== 1) issue(given[1] ?? 'code', 'give exactly one of timings, pronto, sendir and code');
  if (params.carrier !== undefined && params.pronto !== undefined)
    issue('carrier', 'is part of pronto already');
  if (params.sendir !== undefined)
    for (const field of ['carrier', 'repeat'] as const)
      if (params[field] !== undefined) issue(field, 'is part of sendir already');
});

const errors = [
  'NOT_FOUND',
  'UNSUPPORTED_HARDWARE',
  'HARDWARE_ERROR',
  'HARDWARE_TIMEOUT',
  'CONFLICT',
] as const;

/** A frame that a receiver has heard. */
export const irHeard = z.strictObject({
  port: portName.describe('the receiver'),
  timings,
  code: heardCode.nullable().describe('null: of no protocol that the panel knows'),
});
export type IrHeard = z.infer<typeof irHeard>;

/** A remote control that somebody plays in front of a simulated receiver. */
export const irPlayed = z.strictObject({
  code: codeField.optional(),
  timings: oddTimings.optional(),
});

/** Its events. */
export const irEvents = {
  ir: irHeard,
};
/** Their use on a broker. */
export const irBroker = {
  ir: 'event',
} as const;

const irPort = z.strictObject({
  port: portName,
  label: z.string(),
  sends: z.boolean(),
  receives: z.boolean(),
  carrier: z.boolean().describe('it can set the carrier when it sends, or measure it when it receives'),
});
export type IrPort = z.infer<typeof irPort>;

/** What Home Assistant sends to an emitter: light as positive, darkness as negative times; repetitions are in them already. */
export const emitterPayload = z.object({
  timings: z
    .array(z.int().min(-IR_LIMITS.valueUs).max(IR_LIMITS.valueUs))
    .min(1)
    .max(IR_LIMITS.values + 1),
  modulation: z.int().min(IR_LIMITS.minCarrier).max(IR_LIMITS.maxCarrier).nullish(),
});

export const irCommands = {
  'ir.list': defineCommand({
    summary: 'The infrared ports.',
    access: { scope: 'view', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: z.strictObject({}),
    result: z.strictObject({ ports: z.array(irPort) }),
    http: { method: 'GET', path: '/api/remote/ir' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'irList' }],
  }),
  'ir.send': defineCommand({
    summary: 'Send an infrared code; the answer comes once it has been sent.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: oneForm,
    result: z.strictObject({
      status: z.literal('ok'),
      port: portName,
      ms: z.int().describe('length of what was sent'),
    }),
    errors,
    // Behind sixteen others of ten seconds each.
    timeoutMs: 180_000,
    http: { method: 'POST', path: '/api/remote/ir/send' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'irSend' }],
  }),
  'ir.learn': defineCommand({
    summary: 'Wait for the next key of a remote control, and answer with its code.',
    access: { scope: 'control', http: 'token', page: 'allowed' },
    params: z.strictObject({
      port: portName.optional().describe('may be left out where one port receives'),
      seconds: z.int().min(1).max(60).default(20),
    }),
    result: z.strictObject({
      port: portName,
      timings,
      carrier: z.int().nullable().describe('in Hz; null where the receiver cannot measure it'),
      pronto: z.string(),
      code: heardCode.nullable(),
    }),
    errors,
    timeoutMs: 65_000,
    http: { method: 'POST', path: '/api/remote/ir/learn' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'irLearn' }],
  }),
};
