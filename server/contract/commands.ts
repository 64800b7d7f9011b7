import type { z } from 'zod';
import { appsCommands } from './apps.ts';
import { certificatesCommands } from './certificates.ts';
import type { Command } from './command.ts';
import { gpioCommands } from './gpio.ts';
import { ledCommands } from './led.ts';
import { projectsCommands } from './projects.ts';
import { rtcCommands } from './rtc.ts';
import { serialCommands } from './serial.ts';
import { settingsCommands } from './settings.ts';
import { settingsPageCommands } from './settingsPage.ts';
import { sipCommands } from './sip.ts';
import { streamCommands } from './stream.ts';
import { systemCommands } from './system.ts';
import { terminalCommands } from './terminal.ts';
import { udpCommands } from './udp.ts';

/** Everything a caller can ask for, by name. */
export const commands = {
  ...terminalCommands,
  ...rtcCommands,
  ...ledCommands,
  ...gpioCommands,
  ...serialCommands,
  ...udpCommands,
  ...appsCommands,
  ...systemCommands,
  ...streamCommands,
  ...sipCommands,
  ...projectsCommands,
  ...settingsCommands,
  ...settingsPageCommands,
  ...certificatesCommands,
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;
export type ParamsOf<N extends CommandName> = z.output<(typeof commands)[N]['params']>;
export type ResultOf<N extends CommandName> = z.input<(typeof commands)[N]['result']>;

/** All commands as a list of [name, command], typed for loops over the surfaces. */
export const commandList = Object.entries(commands) as unknown as readonly (readonly [
  CommandName,
  Command,
])[];
