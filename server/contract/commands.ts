import type { z } from 'zod';
import type { Command } from './command.ts';
import { allCommands } from './lists.ts';

/** Everything a caller can ask for, by name. */
export const commands = allCommands satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;
export type ParamsOf<N extends CommandName> = z.output<(typeof commands)[N]['params']>;
export type ResultOf<N extends CommandName> = z.input<(typeof commands)[N]['result']>;

/** Commands as a list of [name, command], for loops over the surfaces. */
export type CommandList = readonly (readonly [CommandName, Command])[];

/** All commands. */
export const commandList = Object.entries(commands) as unknown as CommandList;

/** Names of the commands that callers from outside can make with a token, over HTTP or on a broker. */
export const outsideCommands: readonly CommandName[] = commandList
  .filter(([, { access }]) => access.mqtt !== undefined || (access.http ?? 'open') !== 'open')
  .map(([name]) => name);
