import type { WordsFor } from '../../contract/device.ts';
import type { joinsCommands } from './contract.ts';

/** What its commands do. */
export const joinsCommandWords = {
  'joins.list': ['Read the joins of the page', 'Die Joins der Seite lesen', 'Leer los joins de la página'],
  'joins.set': [
    'Give the page the value of a join',
    'Der Seite den Wert eines Joins geben',
    'Dar a la página el valor de un join',
  ],
} satisfies WordsFor<keyof typeof joinsCommands>;
