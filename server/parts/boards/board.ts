import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { gpioRow } from '../gpio/profile.ts';
import { ledRow } from '../led/profile.ts';
import { devicePath } from '../profile.ts';
import { buttonsPart, climatePart, proximityPart, readersPart } from './boardSensors.ts';
import genericLinux from './generic-linux.json' with { type: 'json' };
import nspanelPro from './nspanel-pro.json' with { type: 'json' };
import raspberryPiKs0212 from './raspberry-pi-ks0212.json' with { type: 'json' };
import rk3576Panel from './rk3576-panel.json' with { type: 'json' };
import simulated from './simulated.json' with { type: 'json' };
import x3568V4 from './x3568-v4.json' with { type: 'json' };

/** Parts whose driver a profile may choose. */
export type BoardPart =
  | 'gpio'
  | 'led'
  | 'climate'
  | 'buttons'
  | 'readers'
  | 'proximity'
  | 'serial'
  | 'rtc'
  | 'power'
  | 'apps'
  | 'network'
  | 'time'
  | 'sound';

/** The name callers use, such as /dev/ttyS5. */
const port = z.string().min(1).max(255).describe('the name that callers use');
const label = z.string().min(1).max(80).optional().describe('what stands beside the connector');

/** How the line is set where a call says nothing. */
const line = {
  dataBits: z.int().min(5).max(8).optional().describe('where a call says nothing; 8 when left out'),
  parity: z
    .enum(['none', 'even', 'odd'])
    .optional()
    .describe('where a call says nothing; none when left out'),
  stopBits: z.int().min(1).max(2).optional().describe('where a call says nothing; 1 when left out'),
  flowControl: z
    .enum(['none', 'hardware', 'software'])
    .optional()
    .describe('where a call says nothing; none when left out'),
};

const tty = z.strictObject({
  port,
  label,
  driver: z.literal('tty').default('tty'),
  path: devicePath.describe('the node that is opened'),
  rs485: z.boolean().default(false).describe('the uart switches the direction of the line by its RTS'),
  ...line,
});
const simulatedDriver = z.strictObject({ driver: z.literal('simulated') });
const simulatedPort = z.strictObject({ port, label, driver: z.literal('simulated'), ...line });

const serialPorts = z
  .array(z.discriminatedUnion('driver', [tty, simulatedPort]))
  .max(32)
  .default([])
  .superRefine((ports, context) => {
    for (const key of ['port', 'path'] as const) {
      const seen = new Set<string>();
      for (const [index, entry] of ports.entries()) {
        const value = key in entry ? (entry as { port: string; path?: string })[key] : undefined;
        if (value === undefined) continue;
        if (seen.has(value)) {
          context.addIssue({ code: 'custom', path: [index, key], message: `${value} stands here twice` });
        }
        seen.add(value);
      }
    }
  });

/** One row for each part whose driver can be chosen: a part of the contract without a row does not compile. */
const parts = {
  gpio: gpioRow.optional(),
  led: ledRow.optional(),
  climate: climatePart.optional(),
  buttons: buttonsPart.optional(),
  readers: readersPart,
  proximity: proximityPart,
  serial: serialPorts,
  rtc: z
    .discriminatedUnion('driver', [
      simulatedDriver,
      z.strictObject({
        driver: z.literal('wakealarm'),
        path: devicePath.describe('folder of the clock, such as /sys/class/rtc/rtc0'),
      }),
    ])
    .optional(),
  power: z
    .discriminatedUnion('driver', [simulatedDriver, z.strictObject({ driver: z.literal('logind') })])
    .optional(),
  apps: z
    .discriminatedUnion('driver', [simulatedDriver, z.strictObject({ driver: z.literal('desktop') })])
    .optional(),
  // Not of the board but of its system: a profile that leaves them out takes those of the system.
  network: z
    .discriminatedUnion('driver', [simulatedDriver, z.strictObject({ driver: z.literal('networkManager') })])
    .optional(),
  time: z
    .discriminatedUnion('driver', [simulatedDriver, z.strictObject({ driver: z.literal('timedated') })])
    .optional(),
  sound: z
    .discriminatedUnion('driver', [simulatedDriver, z.strictObject({ driver: z.literal('alsa') })])
    .optional(),
} satisfies Record<BoardPart, z.ZodType>;

/** What a board has and which driver serves it. A part that is left out is absent. */
const boardProfile = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1 to 64 of a-z 0-9 . _ -')
    .describe('what the panel calls its board: 1 to 64 of a-z 0-9 . _ -'),
  ...parts,
});
export type BoardProfile = z.output<typeof boardProfile>;

/** The JSON Schema of a profile as a person writes it, for its documentation. */
export function profileSchema(): object {
  return z.toJSONSchema(boardProfile, { io: 'input' });
}

/** Whether each part of a board is simulated, so that it is a desk and no panel. */
export function isSimulated({ name: _, ...rest }: BoardProfile): boolean {
  const there = Object.values(rest).flat();
  // Left out, these are the system's.
  const { network, time, sound } = rest;
  return [...there, network, time, sound].every((part) => part?.driver === 'simulated');
}

/** Names of the parts of a board that are not simulated. */
export function realParts(board: BoardProfile): string[] {
  const { name, gpio, led, serial, rtc, power, apps, network, time, sound } = board;
  // Left out, these three are the system's.
  const ofSystem = { network: network ?? 'system', time: time ?? 'system', sound: sound ?? 'system' };
  const found = Object.entries({ gpio, led, serial, rtc, power, apps, ...ofSystem }).filter(([, part]) =>
    [part ?? []].flat().some((row) => typeof row === 'string' || row.driver !== 'simulated'),
  );
  // Light and volume stand in no profile: they are simulated for the board of this name alone.
  return [...found.map(([part]) => part), ...(name === 'simulated' ? [] : ['display'])];
}

const shipped: Readonly<Record<string, unknown>> = {
  // The one board that has every part.
  simulated: simulated satisfies Record<BoardPart, unknown>,
  'rk3576-panel': rk3576Panel,
  'generic-linux': genericLinux,
  // Untried: made from public device trees.
  'raspberry-pi-ks0212': raspberryPiKs0212,
  'x3568-v4': x3568V4,
  'nspanel-pro': nspanelPro,
};

/** Whether this machine is the board of a shipped profile; `auto` takes the first one that says yes. */
export interface BoardRule {
  readonly profile: string;
  readonly matches: () => Promise<boolean>;
}

/** All mistakes of a board profile, each with its place. */
export class BoardProfileError extends Error {
  readonly mistakes: readonly string[];

  constructor(source: string, mistakes: readonly string[]) {
    super(`The board profile ${source} cannot be used:\n- ${mistakes.join('\n- ')}`);
    this.name = 'BoardProfileError';
    this.mistakes = mistakes;
  }
}

/**
 * The profile that the setting `board` asks for: `auto` (a board that a rule recognises, else `simulated`), the name
 * of a shipped profile, or the path of a profile file (it holds a slash or ends in .json).
 * @throws BoardProfileError with every mistake
 */
export async function loadBoard(setting: string, rules: readonly BoardRule[] = []): Promise<BoardProfile> {
  if (setting === 'auto') return shippedProfile(await recognised(rules));
  if (setting.includes('/') || setting.endsWith('.json'))
    return parseProfile(setting, await readProfile(setting));
  return shippedProfile(setting);
}

async function recognised(rules: readonly BoardRule[]): Promise<string> {
  for (const rule of rules) if (await rule.matches()) return rule.profile;
  return 'simulated';
}

function shippedProfile(name: string): BoardProfile {
  if (!Object.hasOwn(shipped, name)) {
    const names = Object.keys(shipped).join(', ');
    throw new BoardProfileError(name, [
      `no such profile is shipped (${names}); a profile file is given by its path`,
    ]);
  }
  return parseProfile(name, shipped[name]);
}

async function readProfile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined && !(error instanceof SyntaxError)) throw error;
    const reason =
      errno === undefined
        ? `is not valid JSON: ${(error as Error).message}`
        : `cannot be read: ${errnoWords(errno)}`;
    throw new BoardProfileError(path, [reason]);
  }
}

/** `$comment` may stand in every object of a profile, for the person who reads it. */
function withoutComments(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutComments);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== '$comment');
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutComments(each)]));
}

function parseProfile(source: string, value: unknown): BoardProfile {
  const parsed = boardProfile.safeParse(withoutComments(value));
  if (parsed.success) return parsed.data;
  throw new BoardProfileError(
    source,
    parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `${[...issue.path, key].join('.')}: is not known here`)
        : [`${issue.path.join('.') || 'the profile'}: ${issue.message}`],
    ),
  );
}
