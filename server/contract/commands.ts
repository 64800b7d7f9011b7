import type { z } from 'zod';
import type { Command } from './command.ts';
import { allCommands } from './lists.ts';

/** Everything a caller can ask for, by name. */
export const commands = allCommands satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;
export type ParamsOf<N extends CommandName> = z.output<(typeof commands)[N]['params']>;
export type ResultOf<N extends CommandName> = z.input<(typeof commands)[N]['result']>;

/** The part of a command's name before the point. */
type Subject = CommandName extends `${infer S}.${string}` ? S : never;

/** Subjects that are not a part of the panel: they have neither a driver nor a line in `info`. */
type SoftSubject =
  | 'backup'
  | 'certificates'
  | 'intercom'
  | 'console'
  | 'fleet'
  | 'display'
  | 'http'
  | 'kiosk'
  | 'pairing'
  | 'log'
  | 'page'
  | 'health'
  | 'journal'
  | 'message'
  | 'metrics'
  | 'modbus'
  | 'panel'
  | 'projects'
  | 'settings'
  | 'settingsPage'
  | 'sip'
  | 'stream'
  | 'system'
  | 'tcp'
  | 'token'
  | 'update';

/**
 * The parts of the panel. A new subject of commands is one: it needs a line in `info`, and a state or none to report.
 * The power control, buttons, readers and the proximity sensor have no commands of their own.
 */
export type HardwarePart = Exclude<Subject, SoftSubject> | 'power' | 'buttons' | 'readers' | 'proximity';

/** Parts whose driver the board profile chooses. */
export type BoardPart = Exclude<HardwarePart, 'terminal' | 'udp'>;

/** Commands as a list of [name, command], for loops over the surfaces. */
export type CommandList = readonly (readonly [CommandName, Command])[];

/** All commands. */
export const commandList = Object.entries(commands) as unknown as CommandList;

/** Names of the commands that callers from outside can make with a token, over HTTP or on a broker. */
export const outsideCommands: readonly CommandName[] = commandList
  .filter(([, { access }]) => access.mqtt !== undefined || (access.http ?? 'open') !== 'open')
  .map(([name]) => name);
