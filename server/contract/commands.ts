import type { z } from 'zod';
import { appsCommands } from './apps.ts';
import { backupCommands } from './backup.ts';
import { certificatesCommands } from './certificates.ts';
import { climateCommands } from './climate.ts';
import type { Command } from './command.ts';
import { displayCommands } from './display.ts';
import { fleetCommands } from './fleet.ts';
import { gpioCommands } from './gpio.ts';
import { healthCommands } from './health.ts';
import { httpRequestCommands } from './httpRequest.ts';
import { intercomCommands } from './intercom.ts';
import { journalCommands } from './journal.ts';
import { ledCommands } from './led.ts';
import { liveCommands } from './live.ts';
import { logCommands } from './log.ts';
import { messageCommands } from './message.ts';
import { modbusCommands } from './modbus.ts';
import { networkCommands } from './network.ts';
import { pageCommands } from './page.ts';
import { projectsCommands } from './projects.ts';
import { rtcCommands } from './rtc.ts';
import { serialCommands } from './serial.ts';
import { settingsCommands } from './settings.ts';
import { settingsPageCommands } from './settingsPage.ts';
import { sipCommands } from './sip.ts';
import { soundCommands } from './sound.ts';
import { streamCommands } from './stream.ts';
import { systemCommands } from './system.ts';
import { tcpCommands } from './tcp.ts';
import { terminalCommands } from './terminal.ts';
import { timeCommands } from './time.ts';
import { tokensCommands } from './tokens.ts';
import { udpCommands } from './udp.ts';
import { updateCommands } from './update.ts';

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
