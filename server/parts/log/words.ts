import type { WordsFor } from '../../contract/device.ts';
import type { logCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const logMenu = { log: ['system', 30] };

/** What the app says of it. */
export const logWords = {
  log: ['Log', 'Protokoll', 'Registro'],
} satisfies WordsFor;

/** What its commands do. */
export const logCommandWords = {
  'log.read': ['Read the log', 'Das Protokoll des Dienstes lesen', 'Leer el registro'],
} satisfies WordsFor<keyof typeof logCommands>;
