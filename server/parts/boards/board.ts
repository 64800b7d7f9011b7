import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { mistakesOf } from '../../contract/mistakes.ts';
import { systemClock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { Logger } from '../../platform/log.ts';
import { systemDeviceIo, systemEventIo } from '../../platform/native/ioctl.ts';
import { GpioControl } from '../gpio/gpioControl.ts';
import type { DriverNeeds, PartProfile } from '../profile.ts';
import genericLinux from './generic-linux.json' with { type: 'json' };
import nspanelPro from './nspanel-pro.json' with { type: 'json' };
import { profiles } from './partProfiles.ts';
import raspberryPiKs0212 from './raspberry-pi-ks0212.json' with { type: 'json' };
import rk3576Panel from './rk3576-panel.json' with { type: 'json' };
import simulated from './simulated.json' with { type: 'json' };
import x3568V4 from './x3568-v4.json' with { type: 'json' };

/** Parts whose driver a profile may choose. */
type BoardPart = keyof typeof profiles;

/** How the row of each part looks. */
const rows = Object.fromEntries(Object.entries(profiles).map(([part, { row }]) => [part, row])) as {
  [Part in BoardPart]: (typeof profiles)[Part]['row'];
};

/** What a board has and which driver serves it. A part that is left out is absent. */
const boardProfile = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1 to 64 of a-z 0-9 . _ -')
    .describe('what the panel calls its board: 1 to 64 of a-z 0-9 . _ -'),
  ...rows,
});
export type BoardProfile = z.output<typeof boardProfile>;

/** The JSON Schema of a profile as a person writes it, for its documentation. */
export function profileSchema(): object {
  return z.toJSONSchema(boardProfile, { io: 'input' });
}

/** Whether each part of a board is simulated, so that it is a desk and no panel. */
export function isSimulated(board: BoardProfile): boolean {
  return realRows(board).length === 0;
}

/** Names of the parts of a board that are not simulated. */
export function realParts(board: BoardProfile): string[] {
  // Light and volume stand in no profile: they are simulated for the board of this name alone.
  return [...realRows(board), ...(board.name === 'simulated' ? [] : ['display'])];
}

function realRows(board: BoardProfile): string[] {
  const all: Readonly<Record<string, PartProfile>> = profiles;
  return Object.entries(all).flatMap(([part, { isOfSystem = false }]) => {
    const row = board[part as BoardPart];
    const isReal = row === undefined ? isOfSystem : [row].flat().some(({ driver }) => driver !== 'simulated');
    return isReal ? [part] : [];
  });
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
interface BoardRule {
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
  const profile = withoutComments(value);
  const parsed = boardProfile.safeParse(profile);
  if (parsed.success) return parsed.data;
  throw new BoardProfileError(
    source,
    mistakesOf(boardProfile, profile).map(({ field, words }) => `${field || 'the profile'}: ${words}`),
  );
}

const GPIO_CONTROL = '/dev/gpio_control';

/**
 * How `auto` recognises the boards of the shipped profiles. `generic-linux` has no rule: a desk PC must never be taken
 * for a panel.
 */
export function boardRules(log: Logger): readonly BoardRule[] {
  return [{ profile: 'rk3576-panel', matches: () => hasGpioControl(log) }];
}

/** Other systems use this node name for another protocol: only a node that answers a read is the panel's. */
async function hasGpioControl(log: Logger): Promise<boolean> {
  // Checked first, so that koffi is not loaded on a machine without the node.
  if (!existsSync(GPIO_CONTROL)) return false;
  const pins = new GpioControl({
    path: GPIO_CONTROL,
    inputs: [],
    safeLevels: {},
    io: systemDeviceIo,
    clock: systemClock,
    log,
  });
  try {
    await pins.read(0);
    return true;
  } catch (error) {
    log.warn(
      { path: GPIO_CONTROL, err: error },
      'boards: not detected as a panel, its device node does not work',
    );
    return false;
  }
}

/** The drivers of a board, as its parts promise them in their `profile.ts`. */
export type BoardDrivers = {
  readonly [Part in BoardPart]: ReturnType<(typeof profiles)[Part]['driver']>;
};

/** Makes the driver of each part that the profile names. Nothing is opened yet. */
export function createBoardDrivers(
  board: BoardProfile,
  { log, desktop }: Pick<DriverNeeds, 'log' | 'desktop'>,
): BoardDrivers {
  const needs = { deviceIo: systemDeviceIo, eventIo: systemEventIo, clock: systemClock, log, desktop };
  const all: Readonly<Record<string, PartProfile>> = profiles;
  return Object.fromEntries(
    Object.entries(all).map(([part, profile]) => [part, profile.driver(board[part as BoardPart], needs)]),
  ) as BoardDrivers;
}
