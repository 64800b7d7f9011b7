import type { WordsFor } from '../../contract/device.ts';
import type { climateCommands } from './contract.ts';

/** How the part is called. */
export const climateWords = {
  part_climate: ['Temperature and humidity', 'Temperatur und Feuchte', 'Temperatura y humedad'],
} satisfies WordsFor;

/** What its commands do. */
export const climateCommandWords = {
  'climate.state': [
    'Read temperature and humidity',
    'Temperatur und Feuchte lesen',
    'Leer temperatura y humedad',
  ],
} satisfies WordsFor<keyof typeof climateCommands>;
