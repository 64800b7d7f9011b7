import type { z } from 'zod';
import { settingsCommands } from '../config/contract.ts';
import { intercomCommands } from '../intercom/contract.ts';
import { sipCommands } from '../intercom/sipContract.ts';
import { pageCommands } from '../kiosk/contract.ts';
import { liveCommands } from '../kiosk/live/contract.ts';
import { settingsPageCommands } from '../kiosk/settingsPage/contract.ts';
import { tokensCommands } from '../parts/access/contract.ts';
import { appsCommands } from '../parts/apps/contract.ts';
import { backupCommands } from '../parts/backup/contract.ts';
import { certificatesCommands } from '../parts/certificates/contract.ts';
import { climateCommands } from '../parts/climate/contract.ts';
import { displayCommands } from '../parts/display/contract.ts';
import { fleetCommands } from '../parts/fleet/contract.ts';
import { gpioCommands } from '../parts/gpio/contract.ts';
import { healthCommands } from '../parts/health/contract.ts';
import { httpRequestCommands } from '../parts/http/contract.ts';
import { journalCommands } from '../parts/journal/contract.ts';
import { ledCommands } from '../parts/led/contract.ts';
import { logCommands } from '../parts/log/contract.ts';
import { messageCommands } from '../parts/messages/contract.ts';
import { modbusCommands } from '../parts/modbus/contract.ts';
import { networkCommands } from '../parts/network/contract.ts';
import { projectsCommands } from '../parts/projects/contract.ts';
import { serialCommands } from '../parts/serial/contract.ts';
import { rtcCommands } from '../parts/sleep/contract.ts';
import { soundCommands } from '../parts/sound/contract.ts';
import { tcpCommands } from '../parts/tcp/contract.ts';
import { terminalCommands } from '../parts/terminal/contract.ts';
import { timeCommands } from '../parts/time/contract.ts';
import { udpCommands } from '../parts/udp/contract.ts';
import { updateCommands } from '../parts/update/contract.ts';
import { streamCommands } from '../video/contract.ts';
import type { Command } from './command.ts';
import { systemCommands } from './system.ts';

/** Everything a caller can ask for, by name. */
export const commands = {
  ...terminalCommands,
  ...rtcCommands,
  ...displayCommands,
  ...ledCommands,
  ...gpioCommands,
  ...climateCommands,
  ...serialCommands,
  ...udpCommands,
  ...tcpCommands,
  ...httpRequestCommands,
  ...modbusCommands,
  ...appsCommands,
  ...systemCommands,
  ...streamCommands,
  ...sipCommands,
  ...intercomCommands,
  ...projectsCommands,
  ...fleetCommands,
  ...updateCommands,
  ...settingsCommands,
  ...settingsPageCommands,
  ...certificatesCommands,
  ...tokensCommands,
  ...logCommands,
  ...pageCommands,
  ...liveCommands,
  ...messageCommands,
  ...journalCommands,
  ...healthCommands,
  ...backupCommands,
  ...networkCommands,
  ...timeCommands,
  ...soundCommands,
} as const satisfies Record<string, Command>;

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
