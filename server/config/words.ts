import type { WordsFor } from '../contract/device.ts';
import type { settingsCommands } from './contract.ts';

/** What its commands do. */
export const configCommandWords = {
  'settings.read': ['Read the settings', 'Die Einstellungen lesen', 'Leer los ajustes'],
  'settings.change': ['Change settings', 'Einstellungen ändern', 'Cambiar ajustes'],
} satisfies WordsFor<keyof typeof settingsCommands>;
